//! Words that have a meaning for a reader, read once into a type.

/// Defines an enum of words with their texts. A word that is not listed becomes the variant
/// `Other`.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis enum $of:ident { $($name:ident $text:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $of<'n> {
            $($name,)*
            /// A word that has no meaning here.
            Other(&'n str),
        }

        impl<'n> $of<'n> {
            const ALL: &'static [$of<'static>] = &[$($of::$name),*];

            /// Returns the word with this text.
            $vis fn of(text: &'n str) -> Self {
                let known = $of::ALL.iter().copied().find(|word| word.text() == text);
                known.unwrap_or(Self::Other(text))
            }

            /// Returns the word's text.
            $vis fn text(self) -> &'n str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl std::fmt::Display for $of<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}
