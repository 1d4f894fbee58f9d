//! The isl context, the dims allocated in it, and the work limit.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use isl_rs as isl;

use crate::Error;

/// A work limit that ordinary bounds inference does not reach. In the worst case it amounts to some
/// seconds, as sets of many parts take up to 15 µs an operation; small sets take a hundredth of
/// that.
pub const DEFAULT_WORK_LIMIT: u64 = 300_000;

/// isl's `ISL_ON_ERROR_CONTINUE`: isl reports errors as values instead of writing them to standard
/// error.
const ON_ERROR_CONTINUE: i32 = 1;

/// A named integer variable of a [`Context`]. Two dims are equal only if one is a copy of the
/// other; their names may coincide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dim(u32);

impl Dim {
    /// The position in the order of allocation, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An isl context with a work limit per call. Cloning shares it.
#[derive(Clone)]
pub struct Context {
    inner: Rc<Inner>,
}

struct Inner {
    raw: isl::Context,
    limit: Cell<u64>,
    dims: RefCell<Vec<Declared>>,
}

struct Declared {
    /// The requested name.
    name: String,
    /// The identifier of the dim in isl. It is unique because it ends in the dim's number.
    identifier: String,
}

impl Context {
    /// Creates a context whose calls each do at most `limit` basic operations of isl (mostly
    /// allocations). 0 means no limit.
    pub fn new(limit: u64) -> Result<Self, Error> {
        let raw = isl::Context::alloc();
        if raw.ptr == 0 {
            return Err(Error::Isl { message: "the context could not be allocated".to_owned() });
        }
        isl::Options::set_on_error(&raw, ON_ERROR_CONTINUE)
            .map_err(|error| Error::Isl { message: error.to_string() })?;
        raw.set_max_operations(limit);
        Ok(Self {
            inner: Rc::new(Inner { raw, limit: Cell::new(limit), dims: RefCell::default() }),
        })
    }

    /// Changes the limit of all later calls of this context and its clones. A check that is only
    /// tried first can get less than one whose answer is needed.
    pub fn set_work_limit(&self, limit: u64) {
        self.inner.limit.set(limit);
        self.inner.raw.set_max_operations(limit);
    }

    /// Allocates a variable. The name appears only in texts and may be any text.
    pub fn dim(&self, name: &str) -> Dim {
        let mut dims = self.inner.dims.borrow_mut();
        let index = dims.len();
        let stem: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        // Invariant: identifiers of different dims differ, because the numbers after their last
        // underscores differ.
        dims.push(Declared { name: name.to_owned(), identifier: format!("d{stem}_{index}") });
        Dim(index as u32)
    }

    /// Returns the name that `dim` was allocated with, or `?` for a dim of another context.
    pub fn name(&self, dim: Dim) -> String {
        self.inner
            .dims
            .borrow()
            .get(dim.index())
            .map_or_else(|| "?".to_owned(), |declared| declared.name.clone())
    }

    pub(crate) fn identifier(&self, dim: Dim) -> Result<String, Error> {
        let dims = self.inner.dims.borrow();
        dims.get(dim.index())
            .map(|declared| declared.identifier.clone())
            .ok_or(Error::ContextMismatch)
    }

    /// Finds the dim with this `identifier` in isl.
    pub(crate) fn dim_of_identifier(&self, identifier: &str) -> Result<Dim, Error> {
        let unknown = || Error::Isl { message: format!("unknown identifier `{identifier}`") };
        let (_, number) = identifier.rsplit_once('_').ok_or_else(unknown)?;
        let index: u32 = number.parse().map_err(|_| unknown())?;
        let dims = self.inner.dims.borrow();
        match dims.get(index as usize) {
            Some(declared) if declared.identifier == identifier => Ok(Dim(index)),
            Some(_) | None => Err(unknown()),
        }
    }

    /// Builds isl's space with the given dims, in their order, as parameters.
    pub(crate) fn space(&self, dims: &[Dim]) -> Result<isl::Space, Error> {
        let identifiers =
            dims.iter().map(|dim| self.identifier(*dim)).collect::<Result<Vec<_>, _>>()?;
        self.run(|ctx| {
            let mut space = isl::Space::params_alloc(ctx, dims.len() as u32)?;
            for (position, identifier) in (0_u32..).zip(&identifiers) {
                space = space.set_dim_id(
                    isl::DimType::Param,
                    position,
                    isl::Id::read_from_str(ctx, identifier)?,
                )?;
            }
            Ok(space)
        })
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }

    pub(crate) fn require_same(&self, other: &Self) -> Result<(), Error> {
        if self.is_same(other) { Ok(()) } else { Err(Error::ContextMismatch) }
    }

    /// Runs one question under the work limit, with the operation count reset.
    pub(crate) fn run<T>(
        &self,
        question: impl FnOnce(&isl::Context) -> Result<T, isl::LibISLError>,
    ) -> Result<T, Error> {
        self.inner.raw.reset_operations();
        self.lift(question(&self.inner.raw))
    }

    /// Translates an error of the binding and clears it in isl, so the next call does not see it.
    fn lift<T>(&self, result: Result<T, isl::LibISLError>) -> Result<T, Error> {
        let raw = &self.inner.raw;
        result.map_err(|error| {
            // The binding hides the kind of its error. It has also cleared isl's own record of it,
            // except where a predicate failed. So the code looks at both.
            let kind = raw.last_error();
            let message = if kind == isl::Error::None_ {
                error.to_string()
            } else {
                format!("[{kind:?}] {}", raw.last_error_msg())
            };
            raw.reset_error();
            if message.starts_with("[Quota]") {
                Error::ResourceLimit { limit: self.inner.limit.get() }
            } else {
                Error::Isl { message }
            }
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("limit", &self.inner.limit.get()).finish_non_exhaustive()
    }
}
