//! The caller's bindings: parameters, inputs and their shapes.

use halidom_base::FxHashMap;
use halidom_ir::{Array, Constant, Dim, Expr, FuncId, FuncKind, Pool, Scalar, Shape, VarId};

/// Values of parameters and shape variables, and the arrays of inputs.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    vars: FxHashMap<VarId, Constant>,
    inputs: FxHashMap<FuncId, Array>,
}

/// The reason why a value cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The value has another type.
    #[error("`{name}` has type {expected} and is given a value of type {given}")]
    Type {
        /// The parameter or input.
        name: String,
        /// The declared type.
        expected: Scalar,
        /// The value's type.
        given: Scalar,
    },
    /// The array has another rank.
    #[error("`{name}` has {expected} dimensions and is given an array with {given}")]
    Rank {
        /// The input or output.
        name: String,
        /// The declared rank.
        expected: usize,
        /// The array's rank.
        given: usize,
    },
    /// The func is not an input.
    #[error("`{0}` is not an input")]
    NotAnInput(String),
    /// Not all of the array's elements, located by its strides, lie in its data.
    #[error("the data of `{0}` is too short for its shape and strides")]
    ShortData(String),
}

impl Bindings {
    /// Returns empty bindings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds a parameter or shape variable to a value.
    ///
    /// # Errors
    /// [`BindError::Type`] for a value of another type.
    pub fn set_var(&mut self, pool: &Pool, var: VarId, value: Constant) -> Result<(), BindError> {
        let decl = pool.var(var);
        if decl.ty.scalar != value.scalar() {
            return Err(BindError::Type {
                name: decl.name.clone(),
                expected: decl.ty.scalar,
                given: value.scalar(),
            });
        }
        self.vars.insert(var, value);
        Ok(())
    }

    /// Binds an input to an array, and its shape variables to the array's shape and strides. An
    /// input that is part of the pipeline is bound to its own array ([`Pool::contents`]) instead.
    ///
    /// # Errors
    /// Any [`BindError`] whose condition holds.
    pub fn set_input(&mut self, pool: &Pool, input: FuncId, array: Array) -> Result<(), BindError> {
        let decl = pool.func(input);
        let name = &decl.name;
        let array = pool.contents(input).cloned().unwrap_or(array);
        if decl.scalar(0) != array.scalar {
            let (expected, given) = (decl.scalar(0), array.scalar);
            return Err(BindError::Type { name: name.clone(), expected, given });
        }
        if !covers(&array) {
            return Err(BindError::ShortData(name.clone()));
        }
        self.set_input_shape(pool, input, &array.shape, &array.strides)?;
        self.inputs.insert(input, array);
        Ok(())
    }

    /// Binds an input's shape variables, but not its elements. An input that is part of the
    /// pipeline has the shape of its own array.
    ///
    /// # Errors
    /// [`BindError::Rank`] and [`BindError::NotAnInput`].
    pub fn set_input_shape(
        &mut self,
        pool: &Pool,
        input: FuncId,
        shape: &Shape,
        strides: &[i64],
    ) -> Result<(), BindError> {
        let decl = pool.func(input);
        let (shape, strides) = match pool.contents(input) {
            Some(array) => (&array.shape, array.strides.as_slice()),
            None => (shape, strides),
        };
        match &decl.kind {
            FuncKind::Input { buffer } => {
                self.set_dims(pool, &decl.name, &pool.buffer(*buffer).dims, shape, strides)
            }
            FuncKind::Defined { .. } => Err(BindError::NotAnInput(decl.name.clone())),
        }
    }

    /// Binds the variables among a buffer's dims.
    pub(crate) fn set_dims(
        &mut self,
        pool: &Pool,
        name: &str,
        dims: &[Dim],
        shape: &Shape,
        strides: &[i64],
    ) -> Result<(), BindError> {
        if dims.len() != shape.len() || dims.len() != strides.len() {
            let (expected, given) = (dims.len(), shape.len());
            return Err(BindError::Rank { name: name.to_owned(), expected, given });
        }
        for ((dim, (min, extent)), stride) in dims.iter().zip(shape).zip(strides) {
            for (expr, number) in [(dim.min, min), (dim.extent, extent), (dim.stride, stride)] {
                if let Expr::Var(var) = pool.get(expr) {
                    self.vars.insert(*var, Constant::int(i128::from(*number)));
                }
            }
        }
        Ok(())
    }

    /// The value of a parameter or shape variable.
    pub fn var(&self, var: VarId) -> Option<Constant> {
        self.vars.get(&var).copied()
    }

    /// The array of an input.
    pub fn input(&self, input: FuncId) -> Option<&Array> {
        self.inputs.get(&input)
    }
}

/// True if every element of the box lies in the data. `Array`'s fields are public, so this need not
/// hold.
fn covers(array: &Array) -> bool {
    let Some(bytes) = array.scalar.bytes() else { return false };
    if array.shape.len() != array.strides.len() {
        return false;
    }
    let (mut low, mut high) = (0_i128, 0_i128);
    for ((_, extent), stride) in array.shape.iter().zip(&array.strides) {
        if *extent <= 0 {
            return true;
        }
        let reach = i128::from(*extent - 1) * i128::from(*stride);
        low += reach.min(0);
        high += reach.max(0);
    }
    low >= 0 && (high + 1) * bytes as i128 <= array.data.len() as i128
}
