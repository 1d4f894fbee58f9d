//! Statements of a few lines over two buffers of 16 elements.

use halidom_halide_ir::Names;
use halidom_halide_ir::text;
use halidom_halide_ir::tree::{Scalar, Type};
use halidom_halide_machine::{
    Beyond, BufferCase, Case, Dim, FaultKind, Host, Limits, Mode, Notes, Outcome, Refused,
    Signature, Statement, run,
};

/// Returns a statement's text, preceded by the pointers of `a` (input) and `out`.
fn whole(body: &str) -> String {
    let pointer = |name: &str| {
        format!(
            "let {name} = (void *)_halide_buffer_get_host((struct halide_buffer_t \
                *){name}.buffer)\n"
        )
    };
    let mut text = [pointer("a"), pointer("out")].concat();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The inputs with which a test runs a statement.
pub(crate) struct World {
    /// The type of the elements of `a` and `out`.
    pub(crate) scalar: Scalar,
    /// The elements of `a`.
    pub(crate) a: Vec<u64>,
    /// The parameter `n`.
    pub(crate) n: i32,
    pub(crate) mode: Mode,
    pub(crate) beyond: Beyond,
}

impl Default for World {
    fn default() -> Self {
        Self {
            scalar: Scalar::Int(32),
            a: (0..16).collect(),
            n: 4,
            mode: Mode::Final,
            beyond: Beyond::Poison,
        }
    }
}

fn bytes_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) | Scalar::BFloat(bits) => {
            usize::from(bits.div_ceil(8))
        }
        Scalar::Handle(_) => 8,
    }
}

impl World {
    pub(crate) fn statement(&self, body: &str) -> Result<Statement, Refused> {
        let mut names = Names::new();
        let text = whole(body);
        let block = text::statement(&text, &mut names)
            .unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
        let signature = Signature {
            parameters: vec![("n".to_owned(), Type::INT32), ("m".to_owned(), Type::INT32)],
            buffers: ["a", "b", "out"].map(|name| (name.to_owned(), self.scalar)).to_vec(),
        };
        Statement::new(&block, &names, &signature, self.mode)
    }

    pub(crate) fn case(&self) -> Case {
        let size = bytes_of(self.scalar);
        let buffer = |name: &str, elements: &[u64]| {
            let bytes = elements.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size));
            BufferCase {
                name: name.to_owned(),
                scalar: self.scalar,
                dims: vec![Dim { min: 0, extent: 16, stride: 1 }],
                host: Some(Host { bytes: bytes.collect(), offset: 0, misalignment: 0 }),
                host_dirty: true,
                device_dirty: false,
            }
        };
        Case {
            parameters: vec![("n".to_owned(), u64::from(self.n as u32)), ("m".to_owned(), 0)],
            buffers: vec![buffer("a", &self.a), buffer("out", &[77; 16])],
        }
    }

    pub(crate) fn run(&self, body: &str) -> Outcome {
        match self.statement(body) {
            Ok(statement) => {
                let limits = Limits { beyond: self.beyond, ..Limits::default() };
                run(&statement, &self.case(), &limits)
            }
            Err(refused) => Outcome::Refused(refused),
        }
    }

    /// Returns the elements of `out` after a run that succeeds.
    pub(crate) fn out(&self, body: &str) -> (Vec<u64>, Notes) {
        match self.run(body) {
            Outcome::Done { buffers, notes } => {
                let bytes = buffers[1].bytes.as_ref().expect("`out` has memory");
                let elements = bytes.chunks(bytes_of(self.scalar)).map(|element| {
                    element.iter().rev().fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
                });
                (elements.collect(), notes)
            }
            other => panic!("{other:?}\n{body}"),
        }
    }

    pub(crate) fn fault(&self, body: &str) -> FaultKind {
        match self.run(body) {
            Outcome::Fault(fault) => fault.kind,
            other => panic!("{other:?}\n{body}"),
        }
    }
}

/// Returns the elements of `out`, as signed integers of 32 bits.
pub(crate) fn out(body: &str) -> Vec<i32> {
    World::default().out(body).0.into_iter().map(|bits| bits as u32 as i32).collect()
}

/// Returns the fault of a statement.
pub(crate) fn fault(body: &str) -> FaultKind {
    World::default().fault(body)
}

/// Returns the construct for which a statement is refused.
pub(crate) fn refused(body: &str) -> String {
    match World::default().run(body) {
        Outcome::Refused(refused) => refused.construct,
        other => panic!("{other:?}\n{body}"),
    }
}

/// Checks that the right twin succeeds and that the wrong one has this fault.
pub(crate) fn twins(right: &str, wrong: &str, kind: FaultKind) {
    out(right);
    assert_eq!(fault(wrong), kind, "{wrong}");
}
