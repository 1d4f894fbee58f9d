//! The ids of declared variables, funcs, buffers and holes.

use halidom_base::define_id;

define_id!(
    /// A variable. Each binder (loop, let, func argument, parameter) has its own.
    pub VarId, "v"
);
define_id!(
    /// A func or an input of a pipeline.
    pub FuncId, "f"
);
define_id!(
    /// A piece of memory: an input, an output, or an allocation.
    pub BufferId, "b"
);
define_id!(
    /// A bound that bounds inference fills in.
    pub HoleId, "h"
);
