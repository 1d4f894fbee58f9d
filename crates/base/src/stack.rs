//! Recursions whose depth follows the input.
//!
//! Programs, expressions and statements are nested as deep as who wrote them likes, and a chain of a thousand funcs is a statement of a thousand levels. Who walks them by recursion does so within
//! [`deep`], which goes on in new memory where the stack is nearly used up; a program's outermost call, and that of each thread that works on programs, is within [`whole`].

/// What a recursion may use between two calls of [`deep`].
const RED_ZONE: usize = 128 << 10;
/// What is taken where less is left.
const SEGMENT: usize = 8 << 20;
/// What a whole piece of work begins with. It is reserved, and memory only as far as it is touched.
const WHOLE: usize = 1 << 30;

/// Does one step of a recursion, on a stack that has room for it.
#[inline]
pub fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}

/// Does a piece of work on a stack that holds recursions of some hundred thousand steps: this one, if it is as large.
pub fn whole<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(WHOLE / 2, WHOLE, work)
}

#[cfg(test)]
mod tests {
    use super::{deep, whole};

    fn depth(left: u64) -> u64 {
        // Something that must stay on the stack.
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
