//! The spaces between tokens, and the places where lines may be broken.

use crate::syntax::{Keyword, Punct, Token};

use super::words::Word;

/// The layout of a token relative to the one before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// True if a space separates it from the token before on its line.
    pub(super) space: bool,
    /// The cost of a line break before it; `None` if a line is never broken here for its length.
    pub(super) cost: Option<u32>,
    /// Its part in the structure of lines.
    pub(super) role: Role,
}

/// The part of a token in the structure of lines. Numbers are those of opening brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// None.
    Inner,
    /// The first token of a statement in a block, or in the file.
    Statement(Option<usize>),
    /// Opens a block of statements.
    OpenBlock {
        /// True if it opens the body of a statement, false for a block that is an expression.
        is_body: bool,
    },
    /// Closes a block of statements.
    CloseBlock(usize),
    /// Opens a list or an expression in brackets.
    Open,
    /// Closes what the token with this number opens.
    Close(usize),
}

/// The kinds of brackets, and the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The file.
    File,
    /// The body of a pipeline, or of a `for` in it.
    Items,
    /// The body of a func, or of a `for` in it.
    Stages,
    /// The body of a schedule, and blocks within it.
    Steps,
    /// A block that is an expression.
    Value,
    /// `( )` and `[ ]`
    Brackets,
    /// `< >` around types and constants.
    Angles,
}

impl Kind {
    fn is_block(self) -> bool {
        matches!(self, Self::File | Self::Items | Self::Stages | Self::Steps | Self::Value)
    }
}

/// An open bracket.
#[derive(Debug)]
struct Level {
    kind: Kind,
    open: Option<usize>,
    /// The number of brackets around it in its statement.
    depth: u32,
    /// True if the next token begins a statement.
    fresh: bool,
    /// The first token of the current statement, if it is a keyword.
    lead: Option<Keyword>,
    /// True if an `in` stands in it.
    has_domain: bool,
}

/// Returns the shapes of the tokens of a text that parses.
pub(super) fn shape(words: &[Word<'_>]) -> Vec<Shape> {
    let mut shaper = Shaper {
        words,
        levels: Vec::new(),
        outermost: Level::new(Kind::File, None, 0),
        is_prefix: vec![false; words.len()],
    };
    (0..words.len()).map(|at| shaper.step(at)).collect()
}

impl Level {
    fn new(kind: Kind, open: Option<usize>, depth: u32) -> Self {
        Self { kind, open, depth, fresh: kind.is_block(), lead: None, has_domain: false }
    }
}

struct Shaper<'w, 's> {
    words: &'w [Word<'s>],
    levels: Vec<Level>,
    outermost: Level,
    /// The unary operators.
    is_prefix: Vec<bool>,
}

impl<'s> Shaper<'_, 's> {
    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().unwrap_or(&mut self.outermost)
    }

    fn token(&self, at: usize) -> Token<'s> {
        self.words.get(at).map_or(Token::End, |word| word.token)
    }

    /// The token `back` places before another one.
    fn before(&self, at: usize, back: usize) -> Option<Token<'s>> {
        at.checked_sub(back).map(|at| self.token(at))
    }

    fn step(&mut self, at: usize) -> Shape {
        let token = self.token(at);
        let previous = self.before(at, 1);
        let is_prefix = matches!(token, Token::Punct(Punct::Not | Punct::Complement))
            || (token == Token::Punct(Punct::Minus) && !previous.is_some_and(ends_operand));
        self.is_prefix[at] = is_prefix;
        let role = self.role(at);
        let cost = self.cost(at, role);
        let space = self.space(at);
        self.open_or_end(at, role);
        Shape { space, cost, role }
    }

    /// Finds the role of a token, and closes the bracket that it closes.
    fn role(&mut self, at: usize) -> Role {
        let token = self.token(at);
        if is_closing(token) {
            return self.close(at);
        }
        if token == Token::Punct(Punct::Greater) && self.level().kind == Kind::Angles {
            self.levels.pop();
            return Role::Inner;
        }
        let begun = self.begin(token);
        if token == Token::Punct(Punct::OpenBrace) {
            let is_body = self.before(at, 1).is_some_and(ends_operand) || self.is_after_angles(at);
            return Role::OpenBlock { is_body };
        }
        // An expression in brackets may be the value of a block.
        let opens = matches!(token, Token::Punct(Punct::OpenParen | Punct::OpenBracket));
        if opens && begun == Role::Inner { Role::Open } else { begun }
    }

    /// Closes the innermost bracket.
    fn close(&mut self, at: usize) -> Role {
        let Some(level) = self.levels.pop() else { return Role::Inner };
        let open = level.open.unwrap_or(0);
        if !level.kind.is_block() {
            return Role::Close(open);
        }
        let goes_on = matches!(self.token(at + 1), Token::Punct(Punct::Dot | Punct::Semicolon));
        self.level().fresh = level.kind != Kind::Value && !goes_on;
        Role::CloseBlock(open)
    }

    fn is_after_angles(&mut self, at: usize) -> bool {
        self.before(at, 1) == Some(Token::Punct(Punct::Greater))
            && self.level().lead == Some(Keyword::Pipeline)
    }

    /// Begins a statement where one is due.
    fn begin(&mut self, token: Token<'s>) -> Role {
        let level = self.level();
        if token == Token::Keyword(Keyword::In) {
            level.has_domain = true;
        }
        if !level.fresh {
            return Role::Inner;
        }
        level.fresh = false;
        level.lead = if let Token::Keyword(keyword) = token { Some(keyword) } else { None };
        Role::Statement(level.open)
    }

    /// Opens a bracket, or ends a statement.
    fn open_or_end(&mut self, at: usize, role: Role) {
        let (kind, lead, depth) = (self.level().kind, self.level().lead, self.level().depth);
        let token = self.token(at);
        let inner = if matches!(token, Token::Punct(Punct::OpenParen | Punct::OpenBracket)) {
            Level::new(Kind::Brackets, Some(at), depth + 1)
        } else if let Role::OpenBlock { is_body } = role {
            match (kind, lead) {
                (Kind::File, Some(Keyword::Pipeline)) | (Kind::Items, Some(Keyword::For))
                    if is_body =>
                {
                    Level::new(Kind::Items, Some(at), 0)
                }
                (Kind::File | Kind::Steps, _) if is_body => Level::new(Kind::Steps, Some(at), 0),
                (Kind::Items | Kind::Stages, _) if is_body => Level::new(Kind::Stages, Some(at), 0),
                (
                    Kind::File
                    | Kind::Items
                    | Kind::Stages
                    | Kind::Steps
                    | Kind::Value
                    | Kind::Brackets
                    | Kind::Angles,
                    _,
                ) => Level::new(Kind::Value, Some(at), depth + 1),
            }
        } else if token == Token::Punct(Punct::Less)
            && (lead == Some(Keyword::Pipeline) || kind == Kind::Angles || self.is_type(at))
        {
            Level::new(Kind::Angles, Some(at), depth + 1)
        } else {
            if token == Token::Punct(Punct::Semicolon) && kind.is_block() {
                self.level().fresh = true;
            }
            return;
        };
        self.levels.push(inner);
    }

    /// True if a `<` follows `buffer` in the signature of a pipeline.
    fn is_type(&self, at: usize) -> bool {
        self.levels.iter().all(|level| level.kind == Kind::Brackets)
            && self.outermost.lead == Some(Keyword::Pipeline)
            && self.before(at, 1) == Some(Token::Name("buffer"))
    }

    fn space(&mut self, at: usize) -> bool {
        let Some(previous) = self.before(at, 1) else { return false };
        let token = self.token(at);
        let was_prefix = self.is_prefix[at - 1];
        let in_angles = self.level().kind == Kind::Angles;
        let header = self.outermost.lead == Some(Keyword::Pipeline)
            && self.levels.iter().all(|level| !level.kind.is_block());
        match (previous, token) {
            (_, Token::End) => false,
            (_, Token::Punct(punct)) if is_tight_before(punct) => false,
            (Token::Punct(punct), _) if is_tight_after(punct) || was_prefix => false,
            (Token::Punct(Punct::OpenBrace), Token::Punct(Punct::CloseBrace)) => false,
            // The angles of types.
            (_, Token::Punct(Punct::Less | Punct::Greater)) if header => false,
            (Token::Punct(Punct::Less), _) if in_angles => false,
            (Token::Punct(Punct::Greater), Token::Punct(Punct::OpenParen)) if header => false,
            (
                Token::Name(_) | Token::Punct(Punct::CloseBracket) | Token::Keyword(Keyword::Func),
                Token::Punct(Punct::OpenParen),
            )
            | (Token::Name(_), Token::Punct(Punct::OpenBracket)) => false,
            // The directive `in`.
            (Token::Keyword(Keyword::In), Token::Punct(Punct::OpenParen)) => {
                self.before(at, 2) != Some(Token::Punct(Punct::Dot))
            }
            // `min=` and `max=`
            (Token::Name("min" | "max"), Token::Punct(Punct::Equal)) => {
                self.before(at, 2) != Some(Token::Punct(Punct::CloseParen))
            }
            _ => true,
        }
    }

    /// The cost of a line break before a token. A break costs more the more brackets are around it
    /// and the tighter the operator binds. Blocks are broken before what is in them.
    fn cost(&mut self, at: usize, role: Role) -> Option<u32> {
        const LEVEL: u32 = 100;
        let previous = self.before(at, 1)?;
        let token = self.token(at);
        let is_prefix = self.is_prefix[at];
        let level = self.level();
        let (kind, has_domain, is_chain) =
            (level.kind, level.has_domain, level.kind == Kind::Steps && level.lead.is_none());
        let outside = LEVEL * level.depth;
        if let Role::Statement(Some(_)) = role
            && previous == Token::Punct(Punct::OpenBrace)
        {
            return Some(outside);
        }
        if role != Role::Inner && role != Role::Open {
            return None;
        }
        let cost = match (previous, token) {
            (Token::Punct(Punct::Equal | Punct::PlusEqual | Punct::TimesEqual), _) => 1,
            (Token::Punct(Punct::Comma), _) if kind != Kind::Angles => 10,
            (Token::Punct(Punct::OpenParen), _) => 50,
            (Token::Punct(Punct::Colon), _) if kind == Kind::Brackets && has_domain => 15,
            (_, Token::Punct(Punct::Arrow)) => 2,
            (_, Token::Keyword(Keyword::Where)) => 3,
            (_, Token::Punct(Punct::Dot)) if is_chain => 20,
            (_, Token::Punct(Punct::DotDot)) => 60,
            (_, Token::Punct(punct)) if !is_prefix && kind != Kind::Angles => {
                20 + looseness(punct)?
            }
            _ => return None,
        };
        Some(outside + cost)
    }
}

/// True if an operand may end with a token.
fn ends_operand(token: Token<'_>) -> bool {
    match token {
        Token::Name(_)
        | Token::Integer(_)
        | Token::Float(_)
        | Token::Text(_)
        | Token::Keyword(Keyword::True | Keyword::False)
        | Token::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace) => true,
        Token::Keyword(_) | Token::Punct(_) | Token::Bad | Token::End => false,
    }
}

fn is_closing(token: Token<'_>) -> bool {
    matches!(token, Token::Punct(Punct::CloseParen | Punct::CloseBracket | Punct::CloseBrace))
}

fn is_tight_before(punct: Punct) -> bool {
    matches!(
        punct,
        Punct::Comma
            | Punct::Semicolon
            | Punct::Colon
            | Punct::CloseParen
            | Punct::CloseBracket
            | Punct::DotDot
            | Punct::Dot
    )
}

fn is_tight_after(punct: Punct) -> bool {
    matches!(punct, Punct::OpenParen | Punct::OpenBracket | Punct::DotDot | Punct::Dot)
}

/// Operators from the loosest to the tightest; `None` for other punctuation.
fn looseness(punct: Punct) -> Option<u32> {
    Some(match punct {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::EqualEqual
        | Punct::NotEqual
        | Punct::Less
        | Punct::LessEqual
        | Punct::Greater
        | Punct::GreaterEqual => 3,
        Punct::Or => 4,
        Punct::Xor => 5,
        Punct::And => 6,
        Punct::ShiftLeft | Punct::ShiftRight => 7,
        Punct::Plus | Punct::Minus => 8,
        Punct::Times | Punct::Slash | Punct::Percent => 9,
        Punct::Arrow
        | Punct::DotDot
        | Punct::PlusEqual
        | Punct::TimesEqual
        | Punct::Equal
        | Punct::Not
        | Punct::Complement
        | Punct::Dot
        | Punct::Comma
        | Punct::Colon
        | Punct::Semicolon
        | Punct::OpenParen
        | Punct::CloseParen
        | Punct::OpenBrace
        | Punct::CloseBrace
        | Punct::OpenBracket
        | Punct::CloseBracket => return None,
    })
}

/// True for a binary operator, between whose operands a line may be broken.
pub(super) fn is_operator(token: Token<'_>) -> bool {
    matches!(token, Token::Punct(punct) if looseness(punct).is_some())
}
