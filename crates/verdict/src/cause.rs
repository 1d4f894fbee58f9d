//! The causes of unknown verdicts, as data.

/// The kind of a reason why a verdict is unknown. Each has a code with a page in `docs/errors`, a
/// sentence for users, and advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A construct of stock Halide has no translation.
    Construct,
    /// A program has a form that the validator cannot describe.
    Form,
    /// A store's or load's claim is missing or not shown.
    Claim,
    /// An access is not shown to reach its claimed element.
    Location,
    /// An access is not shown to lie within its buffer.
    Bounds,
    /// A stored value is not shown to be the required one.
    Value,
    /// It is not shown that everything needed is computed.
    Coverage,
    /// A value that is read is not shown to be there.
    Definedness,
    /// Writes are not shown to come in the right order.
    Order,
    /// A value is not shown to survive until it is read.
    Retention,
    /// Parallel iterations are not shown to be independent.
    Race,
    /// The outputs are not shown to be computed where they are required.
    Output,
    /// Integers are not shown to fit their bits.
    Overflow,
    /// Entry checks are not shown to be satisfiable, or sufficient.
    Assumption,
    /// A rewriting of the algorithm by the schedule is not shown to keep its meaning.
    Refinement,
    /// A solver has no answer within its limits, or cannot be asked.
    Solver,
    /// The whole judgement did not end within its limit.
    Time,
    /// The statement and its compiled code disagree in a run: one is wrong, and the other is right
    /// or proved.
    Unconfirmed,
    /// A rewrite rule is not decided, or uses C++ that is not read.
    Rule,
    /// A claim about a mutator is not decided, or its source is not read.
    Mutator,
    /// Coq could not be asked about a certificate.
    Certificate,
    /// A part of the request was not judged.
    Part,
    /// Statements were compared by runs, which prove nothing.
    Runs,
    /// A baseline records a better verdict.
    Baseline,
    /// A number of the proof is too large to calculate with.
    Size,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 25] = [
        Self::Construct,
        Self::Form,
        Self::Claim,
        Self::Location,
        Self::Bounds,
        Self::Value,
        Self::Coverage,
        Self::Definedness,
        Self::Order,
        Self::Retention,
        Self::Race,
        Self::Output,
        Self::Overflow,
        Self::Assumption,
        Self::Refinement,
        Self::Solver,
        Self::Time,
        Self::Unconfirmed,
        Self::Rule,
        Self::Mutator,
        Self::Certificate,
        Self::Part,
        Self::Runs,
        Self::Baseline,
        Self::Size,
    ];

    /// The stable code, with a page in `docs/errors`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Construct => "HAL1205",
            Self::Form => "HAL1301",
            Self::Claim => "HAL1302",
            Self::Location => "HAL1303",
            Self::Bounds => "HAL1304",
            Self::Value => "HAL1305",
            Self::Coverage => "HAL1306",
            Self::Definedness => "HAL1307",
            Self::Order => "HAL1308",
            Self::Retention => "HAL1309",
            Self::Race => "HAL1310",
            Self::Output => "HAL1311",
            Self::Overflow => "HAL1312",
            Self::Assumption => "HAL1313",
            Self::Refinement => "HAL1314",
            Self::Solver => "HAL1315",
            Self::Unconfirmed => "HAL1316",
            Self::Rule => "HAL1317",
            Self::Mutator => "HAL1318",
            Self::Certificate => "HAL1319",
            Self::Part => "HAL1320",
            Self::Runs => "HAL1321",
            Self::Baseline => "HAL1322",
            Self::Size => "HAL1323",
            Self::Time => "HAL1324",
        }
    }

    /// The cause in a sentence for users.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Construct => "a construct of the pipeline or its statement is not translated yet",
            Self::Form => "a part of the program has a form that the validator cannot describe",
            Self::Claim => "it is not known which value of the algorithm a store or a load is for",
            Self::Location => "an access is not shown to reach the element that it should reach",
            Self::Bounds => "an access is not shown to lie within its buffer",
            Self::Value => "a stored value is not shown to be the value of the algorithm",
            Self::Coverage => "it is not shown that every needed element is computed",
            Self::Definedness => "a value that is read is not shown to be written before",
            Self::Order => "writes to one element are not shown to come in the right order",
            Self::Retention => "a value is not shown to stay in memory until its last use",
            Self::Race => "iterations that run at the same time are not shown to be independent",
            Self::Output => "the outputs are not shown to be computed wherever they are required",
            Self::Overflow => "an integer is not shown to fit the bits that the code gives it",
            Self::Assumption => "the entry checks are not shown to suffice, or to admit any size",
            Self::Refinement => {
                "a change of the algorithm by the schedule is not shown to keep its values"
            }
            Self::Solver => "the solver has no answer within its limits",
            Self::Time => "the judgement did not end within its time limit",
            Self::Unconfirmed => "the statement and its compiled code disagree in a run",
            Self::Rule => "a rewrite rule is not decided",
            Self::Mutator => "a claim about a mutator is not decided",
            Self::Certificate => "Coq has not judged the certificate",
            Self::Part => "a part of the request was not judged",
            Self::Runs => "the statements were only run, which proves nothing",
            Self::Baseline => "the verdict is weaker than the recorded one",
            Self::Size => "a number of the proof is too large to calculate with",
        }
    }

    /// Advice: what a user can try.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Construct => "judge the pipeline without that part",
            Self::Form | Self::Claim => {
                "permit annotations (`--annotations always`), or schedule the func more simply"
            }
            Self::Location => {
                "state the layout of the buffer in the pipeline (`dim(0).set_min(0)`, \
                `set_stride`; `require` in a program of our own), or promise it for stock Halide \
                with `--assume`"
            }
            Self::Bounds => {
                "clamp the coordinates in the pipeline, or promise their range (`require` in a \
                program of our own, `--assume` for stock Halide)"
            }
            Self::Value => {
                "if floats differ only by grouping, permit `--floats reals`, or compile with \
                `strict_float`"
            }
            Self::Coverage | Self::Output => {
                "bound the extents (`bound`; for stock Halide also \
                `--assume '(out.extent.0 % 8) == 0'`), or choose another tail strategy"
            }
            Self::Definedness | Self::Order | Self::Retention => {
                "compute or store the func further out (`compute_root`, `store_root`)"
            }
            Self::Race => "run the loop serially, or make the iterations write apart",
            Self::Overflow => {
                "promise smaller sizes (`require` in a program of our own, `--assume small` for \
                stock Halide)"
            }
            Self::Assumption => {
                "promise what the callers keep to (`require` in a program of our own, `--assume` \
                for stock Halide), and nothing that contradicts the checks or conditions"
            }
            Self::Refinement => "judge the pipeline without that directive",
            Self::Solver => "give the solver more time (`--timeout`, `--limit`)",
            Self::Time => "give it more time (`--limit`), or judge parts of the pipeline",
            Self::Unconfirmed => "look at the run with `--replay FOLDER`, and report it",
            Self::Rule | Self::Mutator => "look at the reason beside the rule or the claim",
            Self::Certificate => "install Coq (`halidom doctor` tells how)",
            Self::Part => "give every input something to judge",
            Self::Runs => "judge the final statement with its pipeline (`--halide FILE`)",
            Self::Baseline => "prove it as before, or record the verdict anew",
            Self::Size => "bound the sizes in the pipeline",
        }
    }
}
