//! Names of methods that have a meaning for the machine, read once into a type.

use std::fmt;

macro_rules! methods {
    ($($name:ident $text:literal)*) => {
        /// A method by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Method<'n> {
            $($name,)*
            /// A method that the machine does not know.
            Other(&'n str),
        }

        impl<'n> Method<'n> {
            const ALL: &'static [Method<'static>] = &[$(Method::$name),*];

            /// The method's name.
            pub(crate) fn text(self) -> &'n str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Other(text) => text,
                }
            }
        }
    };
}

methods! {
    Accept "accept"
    As "as"
    At "at"
    Back "back"
    Begin "begin"
    Bits "bits"
    CanRepresent "can_represent"
    Clear "clear"
    Code "code"
    Contains "contains"
    Count "count"
    Defined "defined"
    ElementOf "element_of"
    Emplace "emplace"
    EmplaceBack "emplace_back"
    Empty "empty"
    End "end"
    Erase "erase"
    Find "find"
    FindFirstOf "find_first_of"
    Fracs "fracs"
    Front "front"
    Get "get"
    HasFeature "has_feature"
    Insert "insert"
    IsBfloat "is_bfloat"
    IsBool "is_bool"
    IsConcat "is_concat"
    IsExtern "is_extern"
    IsExtractElement "is_extract_element"
    IsFixed "is_fixed"
    IsFloat "is_float"
    IsHandle "is_handle"
    IsInt "is_int"
    IsIntOrUint "is_int_or_uint"
    IsInterleave "is_interleave"
    IsIntrinsic "is_intrinsic"
    IsMax "is_max"
    IsMin "is_min"
    IsPure "is_pure"
    IsScalar "is_scalar"
    IsSlice "is_slice"
    IsUfixed "is_ufixed"
    IsUint "is_uint"
    IsVector "is_vector"
    Lanes "lanes"
    Length "length"
    Max "max"
    Min "min"
    Pop "pop"
    PopBack "pop_back"
    Push "push"
    PushBack "push_back"
    Ref "ref"
    SameAs "same_as"
    Size "size"
    Str "str"
    Substr "substr"
    Swap "swap"
    Type "type"
    TypeKey "type_key"
    WithBits "with_bits"
    WithCode "with_code"
    WithLanes "with_lanes"
}

impl<'n> Method<'n> {
    /// The method of a name.
    pub(crate) fn of(name: &'n str) -> Self {
        let known = Method::ALL.iter().copied().find(|method| method.text() == name);
        known.unwrap_or(Self::Other(name))
    }
}

impl fmt::Display for Method<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
