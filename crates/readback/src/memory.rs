//! Buffers that the program allocates: their sizes and their owners. A name in a buffer's block
//! owns its memory, so every way out of the block frees it.

use halidom_ir::{BufferDecl, BufferId, Constant, Scalar, StmtId, StoreIn};

use crate::compare::{Compared, Rest, Walk, scalar_type};
use crate::lift::Binding;
use crate::mismatch::Mismatch;
use crate::syntax::{Action, Line, Node, Shape};
use crate::term::{Op, Ring, TermId};

impl<'t> Walk<'t> {
    pub(crate) fn is_status_test(
        &self,
        node: &Node,
        op: &str,
        name: &str,
        status: &str,
    ) -> Compared {
        let well = if let Shape::Binary(found, lhs, rhs) = &node.shape {
            found == op && lhs.is_name(name) && rhs.is_name(status)
        } else {
            false
        };
        self.require(well, node.at, "another test of a status")
    }

    /// Checks that the lines return and do nothing else: names in scope own the memory.
    pub(crate) fn leaves(
        &self,
        at: usize,
        lines: &'t [Line],
        returned: impl FnOnce(&'t Node) -> bool,
    ) -> Compared {
        let mut rest: Rest<'t> = lines;
        let line = self.next(&mut rest)?;
        let Action::Return(value) = &line.action else {
            return self.fail(line.at, "a return was expected");
        };
        self.require(returned(value), at, "another status is returned")?;
        self.ends(rest)
    }

    pub(crate) fn allocate(
        &mut self,
        buffer: BufferId,
        body: StmtId,
        lines: &'t [Line],
    ) -> Compared {
        let decl = self.pool.buffer(buffer);
        let mut rest: Rest<'t> = lines;
        let line = self.next(&mut rest)?;
        if let StoreIn::Within(lender) = decl.store_in {
            return self.takes(buffer, lender, body, (line, rest));
        }
        match &line.action {
            Action::DeclareArray(ty, name, length, align) => {
                let size = self.size(line.at, decl)?;
                self.require(*ty == scalar_type(decl.scalar), line.at, "elements of another type")?;
                let length = self.lift().scalar_as(length, Scalar::I64)?;
                let one = self.terms.constant(Constant::int(1));
                let at_least_one = self.terms.binary(Op::Max, size, one);
                self.require(length == at_least_one, line.at, "a buffer of another size")?;
                let aligned = matches!(&align.shape, Shape::Number(bytes) if bytes == "64");
                self.require(aligned, line.at, "another alignment")?;
                self.bind(line.at, name, Binding::Buffer(buffer))?;
                self.stmt(body, &mut rest)?;
            }
            Action::DeclareOwning(owner, memory) => {
                let Shape::Call(callee, arguments) = &memory.shape else {
                    return self.fail(line.at, "another function");
                };
                self.require(callee == "halidom_alloc", line.at, "another function")?;
                let [bytes] = arguments.as_slice() else {
                    return self.fail(line.at, "a buffer of another size");
                };
                self.has_bytes(bytes, decl, line.at)?;
                let check = self.next(&mut rest)?;
                let Action::If(condition, leave, None) = &check.action else {
                    return self.fail(check.at, "the check of an allocation was expected");
                };
                self.is_status_test(condition, "==", owner, "NULL")?;
                self.leaves(check.at, leave, |value| value.is_name("HALIDOM_OUT_OF_MEMORY"))?;
                let line = self.next(&mut rest)?;
                let Action::Declare(ty, name, Node { shape: Shape::Name(first), .. }) =
                    &line.action
                else {
                    return self.fail(line.at, "a pointer to the memory was expected");
                };
                self.require(*ty == self.pointer(buffer, true), line.at, "another pointer")?;
                self.require(first == owner && name != owner, line.at, "other memory")?;
                self.is_free(line.at, owner)?;
                self.bind(line.at, name, Binding::Buffer(buffer))?;
                self.stmt(body, &mut rest)?;
            }
            Action::Declare(..)
            | Action::DeclareStruct(..)
            | Action::Assign(..)
            | Action::Call(_)
            | Action::Discard(_)
            | Action::If(..)
            | Action::For { .. }
            | Action::Block(_)
            | Action::Return(_) => return self.fail(line.at, "a buffer was expected"),
        }
        self.ends(rest)
    }

    /// Matches a pointer to another buffer's memory.
    fn takes(
        &mut self,
        buffer: BufferId,
        lender: BufferId,
        body: StmtId,
        (line, mut rest): (&'t Line, Rest<'t>),
    ) -> Compared {
        let Action::Declare(ty, name, Node { shape: Shape::Name(memory), .. }) = &line.action
        else {
            return self.fail(line.at, "a pointer to another buffer was expected");
        };
        self.require(*ty == self.pointer(buffer, true), line.at, "another pointer")?;
        let lends =
            matches!(self.scope.get(memory), Some(Binding::Buffer(found)) if found == lender);
        self.require(lends, line.at, "the memory of another buffer")?;
        self.bind(line.at, name, Binding::Buffer(buffer))?;
        self.stmt(body, &mut rest)?;
        self.ends(rest)
    }

    /// Matches `halidom_bytes(halidom_bytes(sizeof(T), extent), extent) …`, with the first
    /// dimension innermost.
    fn has_bytes(&mut self, bytes: &Node, decl: &BufferDecl, at: usize) -> Compared {
        let mut rest = bytes;
        for dim in decl.dims.iter().rev() {
            let Shape::Call(callee, arguments) = &rest.shape else {
                return self.fail(at, "a buffer of another size");
            };
            let ("halidom_bytes", [inner, extent]) = (&**callee, arguments.as_slice()) else {
                return self.fail(at, "a buffer of another size");
            };
            let found = self.lift().scalar_as(extent, Scalar::I64)?;
            let expected = self.term(at, dim.extent)?;
            self.require(found == expected, at, "a buffer of another size")?;
            rest = inner;
        }
        let element = Shape::SizeOf(scalar_type(decl.scalar));
        self.require(rest.shape == element, at, "a buffer of another size")
    }

    /// Returns the number of elements that a buffer needs: the greatest element number plus one, or
    /// 0 if the box is empty.
    pub(crate) fn size(&mut self, at: usize, decl: &BufferDecl) -> Result<TermId, Mismatch> {
        let one = self.terms.constant(Constant::int(1));
        let zero = self.terms.constant(Constant::int(0));
        let mut last = None;
        for dim in &decl.dims {
            let extent = self.term(at, dim.extent)?;
            let stride = self.term(at, dim.stride)?;
            let steps = self.terms.ring(Ring::Sub, true, extent, one);
            let span =
                if stride == one { steps } else { self.terms.ring(Ring::Mul, true, stride, steps) };
            last = Some(match last {
                Some(sum) => self.terms.ring(Ring::Add, true, sum, span),
                None => span,
            });
        }
        let Some(last) = last else { return Ok(one) };
        let count = self.terms.ring(Ring::Add, true, last, one);
        Ok(self.terms.binary(Op::Max, count, zero))
    }
}
