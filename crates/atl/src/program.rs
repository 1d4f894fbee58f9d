//! Programs with their interface.

use crate::context::{Context, Fact, Shape};
use crate::term::{Compare, Index, Pred, Rank, Sort, Term, Var};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// 32-bit integers that wrap.
    I32,
    /// 64-bit integers that wrap.
    I64,
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// 64-bit integers under minimum and addition: `+` is the minimum, `*` the sum, `0` infinity.
    MinPlus,
}

impl Element {
    /// All element types.
    pub const ALL: [Self; 5] = [Self::I32, Self::I64, Self::F32, Self::F64, Self::MinPlus];

    /// The type's word in programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::MinPlus => "min_plus",
        }
    }
}

/// An input tensor.
#[derive(Clone, Debug)]
pub struct Input {
    /// The input's variable.
    pub var: Var,
    /// The type of its elements.
    pub element: Element,
    /// Its dimensions. The tensor is zero outside.
    pub shape: Shape,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's name.
    pub name: String,
    /// The sizes. None is negative.
    pub sizes: Vec<Var>,
    /// Unknown shapes.
    pub shapes: Vec<Var>,
    /// The conditions on the sizes.
    pub hypotheses: Vec<Pred>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The result.
    pub body: Term,
    /// The result's dimensions.
    pub shape: Shape,
}

impl Program {
    /// The context at the top of the program.
    pub fn context(&self) -> Context {
        let mut context = Context::default();
        for size in &self.sizes {
            context.facts.push(Fact::Any(size.clone()));
            let pred = Pred::Compare(Compare::Le, Index::Num(0), Index::Var(size.clone()));
            context.facts.push(Fact::Holds(pred));
        }
        for pred in &self.hypotheses {
            context.facts.push(Fact::Holds(pred.clone()));
        }
        for input in &self.inputs {
            context.shapes.insert(input.var.id, input.shape.clone());
        }
        context
    }

    /// The type of the elements, taken from the first input.
    pub fn element(&self) -> Element {
        self.inputs.first().map_or(Element::I32, |input| input.element)
    }

    /// Returns the same program for elements of another type.
    #[must_use]
    pub fn at_element(&self, element: Element) -> Self {
        let mut program = self.clone();
        for input in &mut program.inputs {
            input.element = element;
        }
        program
    }

    /// The rank of a tensor with this shape.
    pub fn rank_of(shape: &Shape) -> Rank {
        Rank { base: shape.rest.as_ref().map(|rest| rest.id), plus: shape.dims.len() as u32 }
    }
}

/// The sort of a tensor with this shape.
pub fn tensor_sort(shape: &Shape) -> Sort {
    Sort::Tensor(Program::rank_of(shape))
}
