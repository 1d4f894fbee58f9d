//! The verdict: the one answer that every job of Halidom gives.
