//! Recursions whose depth follows the input.
//!
//! Programs, expressions and statements may be nested to any depth, and a chain of a thousand funcs
//! is a statement of a thousand levels. Code that walks them by recursion does so within [`deep`],
//! which continues in new memory when the stack is nearly used up. A program's outermost call, and
//! the outermost call of each thread that works on programs, runs within [`whole`].

/// The stack that a recursion may use between two calls of [`deep`].
const RED_ZONE: usize = 128 << 10;
/// The size of a new stack segment, which is allocated when less than [`RED_ZONE`] is left.
const SEGMENT: usize = 8 << 20;
/// The initial stack of a whole piece of work. It is reserved; memory is taken only as it is
/// touched.
const WHOLE: usize = 1 << 30;

/// Runs one step of a recursion on a stack that has room for it.
#[inline]
pub fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}

/// Runs a piece of work on a stack that holds recursions of some hundred thousand steps; keeps the
/// present stack if it has enough room.
pub fn whole<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(WHOLE / 2, WHOLE, work)
}

#[cfg(test)]
mod tests {
    use super::{deep, whole};

    fn depth(left: u64) -> u64 {
        // A value that must stay on the stack.
        let kept = std::hint::black_box([left; 64]);
        deep(|| if left == 0 { 0 } else { 1 + depth(left - 1) + kept[3] - left })
    }

    #[test]
    fn a_million_steps_fit() {
        assert_eq!(depth(1_000_000), 1_000_000);
    }

    #[test]
    fn a_whole_piece_of_work_has_room_without_further_care() {
        fn plain(left: u64) -> u64 {
            let kept = std::hint::black_box([left; 64]);
            if left == 0 { 0 } else { 1 + plain(left - 1) + kept[3] - left }
        }
        assert_eq!(whole(|| plain(500_000)), 500_000);
    }
}
