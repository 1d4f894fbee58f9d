//! Whole files that try to have a false statement accepted. Each would be a proof of it if Coq
//! believed the file.

/// A file: the name of the attempt, the text before the last definition, and the text of that
/// definition.
pub(crate) struct Trick {
    pub(crate) name: &'static str,
    before: &'static str,
    body: &'static str,
}

impl Trick {
    /// The text of the file.
    pub(crate) fn text(&self) -> String {
        format!(
            "From Halidom Require Import Certificate.\nFrom HalidomStatement Require \
                Statement.\n{}\n{}\n",
            self.before, self.body
        )
    }
}

const FROM_FALSE: &str =
    "Definition derivation : HalidomStatement.Statement.theorem := match evil with end.";
const OF_TRUE: &str = "Definition derivation : HalidomStatement.Statement.theorem := I.";

const fn trick(name: &'static str, before: &'static str, body: &'static str) -> Trick {
    Trick { name, before, body }
}

/// The files.
pub(crate) const TRICKS: &[Trick] = &[
    trick(
        "a comment that is none to a scanner",
        "(* \"(*\" *) Axiom evil : False. (* \"*)\" *)",
        FROM_FALSE,
    ),
    trick(
        "an axiom with the name of functional extensionality",
        "Axiom functional_extensionality_dep : False. Definition evil := \
            functional_extensionality_dep.",
        FROM_FALSE,
    ),
    trick(
        "the same, in a module of that name",
        "Module FunctionalExtensionality. Axiom functional_extensionality_dep : False. End \
            FunctionalExtensionality.\n\
         Definition evil := FunctionalExtensionality.functional_extensionality_dep.",
        FROM_FALSE,
    ),
    trick("a parameter", "Parameter evil : False.", FROM_FALSE),
    trick("a conjecture", "Conjecture evil : False.", FROM_FALSE),
    trick("a proof that is admitted", "Lemma evil : False. Admitted.", FROM_FALSE),
    trick("a goal that is given up", "Lemma evil : False. Proof. admit. Admitted.", FROM_FALSE),
    trick(
        "a module that is declared",
        "Module Type Promise. Axiom evil : False. End Promise. Declare Module Kept : Promise. \
            Definition evil := Kept.evil.",
        FROM_FALSE,
    ),
    trick(
        "a functor's argument",
        "Module Type Promise. Axiom evil : False. End Promise.\n\
         Module Use (P : Promise). Definition evil := P.evil. End Use.\n\
         Module Made <: Promise. Axiom evil : False. End Made. Module Used := Use Made. Definition \
         evil := Used.evil.",
        FROM_FALSE,
    ),
    trick(
        "a section that is not closed",
        "Section Open. Variable evil : False.",
        "Definition derivation : HalidomStatement.Statement.theorem := match evil with end.",
    ),
    trick("a variable outside of a section", "Variable evil : False.", FROM_FALSE),
    trick("a context outside of a section", "Context (evil : False).", FROM_FALSE),
    trick(
        "unguarded recursion, by a flag",
        "Unset Guard Checking. Fixpoint turn (n : nat) : False := turn n. Lemma evil : False. \
            Proof. exact (turn O). Qed.",
        FROM_FALSE,
    ),
    trick(
        "unguarded recursion, by a flag for all files",
        "Global Unset Guard Checking. Fixpoint turn (n : nat) : False := turn n. Lemma evil : \
            False. Proof. exact (turn O). Qed.",
        FROM_FALSE,
    ),
    trick(
        "unguarded recursion, by an attribute",
        "#[bypass_check(guard)] Fixpoint turn (n : nat) : False := turn n. Lemma evil : False. \
            Proof. exact (turn O). Qed.",
        FROM_FALSE,
    ),
    trick(
        "an inductive type that is not positive, by a flag",
        "Unset Positivity Checking. Inductive bad : Prop := Bad : (bad -> False) -> bad.\n\
         Definition no (b : bad) : False := match b with Bad f => f b end. Lemma evil : False. \
         Proof. exact (no (Bad no)). Qed.",
        FROM_FALSE,
    ),
    trick(
        "an inductive type that is not positive, by an attribute",
        "#[bypass_check(positivity)] Inductive bad : Prop := Bad : (bad -> False) -> bad.\n\
         Definition no (b : bad) : False := match b with Bad f => f b end. Lemma evil : False. \
         Proof. exact (no (Bad no)). Qed.",
        FROM_FALSE,
    ),
    trick(
        "universes that are not checked, by a flag",
        "From Coq Require Import Logic.Hurkens. Unset Universe Checking.\n\
         Lemma evil : False. Proof. exact (TypeNeqSmallType.paradox Type eq_refl). Qed.",
        FROM_FALSE,
    ),
    trick(
        "universes that are not checked, by an attribute",
        "From Coq Require Import Logic.Hurkens.\n\
         #[bypass_check(universes)] Definition evil : False := TypeNeqSmallType.paradox Type \
         eq_refl.",
        FROM_FALSE,
    ),
    trick(
        "another module with the statement's name",
        "Module HalidomStatement. Module Statement. Definition theorem := True. End Statement. End \
            HalidomStatement.",
        OF_TRUE,
    ),
    trick(
        "another module Statement",
        "Module Statement. Definition theorem := True. End Statement.",
        "Definition derivation : Statement.theorem := I.",
    ),
    trick(
        "another module with the proof's own name",
        "Module HalidomProof. Module Proof. Definition derivation := I. End Proof. End \
            HalidomProof.",
        "Definition derivation := I.",
    ),
    trick("a definition of another type", "", "Definition derivation : True := I."),
    trick(
        "a notation for the theorem",
        "Notation theorem := True.",
        "Definition derivation : theorem := I.",
    ),
    trick(
        "a notation for the theorem's full name",
        "Notation \"'HalidomStatement.Statement.theorem'\" := True.",
        "Definition derivation : True := I.",
    ),
    trick(
        "a notation that swallows what follows",
        "Notation \"'exact' x\" := I (at level 0). Notation \"'HalidomProof.Proof.derivation'\" := \
            I.",
        "Definition derivation : True := I.",
    ),
    trick(
        "a tactic of another meaning",
        "Ltac exact x := idtac. Tactic Notation \"exact\" constr(x) := admit.",
        "Definition derivation : True := I.",
    ),
    trick(
        "a coercion to the theorem",
        "Axiom believed : True -> HalidomStatement.Statement.theorem. Coercion believed : True >-> \
            HalidomStatement.Statement.theorem.",
        "Definition derivation : True := I.",
    ),
    trick(
        "a new exec64",
        "Module Machine. Definition exec64 := tt. End Machine. Definition exec64 := tt.",
        "Definition derivation : HalidomStatement.Statement.theorem. Proof. intro ext. repeat \
            split; intros; reflexivity. Qed.",
    ),
    trick(
        "a section restarted with n = 0",
        "Section Again. Context {ext : Extensionality} {K : semiring}. Definition n : Z := 0. \
            Theorem derived : n = 0. Proof. reflexivity. Qed. End Again.",
        "Definition derivation : HalidomStatement.Statement.theorem := fun ext => derived.",
    ),
    trick(
        "the final program is the source program",
        "Definition final := @HalidomStatement.Statement.source.",
        "Definition derivation : HalidomStatement.Statement.theorem.\n\
         Proof. intro ext. split; [|split; [|try split]]; intros; reflexivity. Qed.",
    ),
    trick(
        "output written over the statement's object",
        "Redirect \"../statement/Statement\" Print True. Redirect \"statement/Statement\" Print \
            True.\n\
         Print Universes \"statement/Statement.vo\".",
        OF_TRUE,
    ),
    trick(
        "output written over the library's object",
        "Print Universes \"library/Tensor.vo\".",
        "Definition derivation : True := I.",
    ),
    trick(
        "a file Check.v of its own",
        "Redirect \"check/Check\" Print True. Print Universes \"check/Check.v\".",
        "Definition derivation : True := I.",
    ),
    trick(
        "extraction over the statement",
        "From Coq Require Extraction. Cd \"statement\". Extraction \"Statement\" negb.",
        "Definition derivation : True := I.",
    ),
    trick("another file that is loaded", "Load \"/inside/statement/Statement.v\".", OF_TRUE),
    trick("a plugin", "Declare ML Module \"evil\".", "Definition derivation : True := I."),
    trick("a folder of plugins", "Add ML Path \"/tmp\". Declare ML Module \"evil\".", OF_TRUE),
    trick("an end in the middle", "Definition derivation : True := I. Quit.", FROM_FALSE),
    trick("a toplevel's end", "Drop.", FROM_FALSE),
    trick("no definition", "", ""),
    trick("a comment without an end", "(* ", FROM_FALSE),
    trick(
        "obligations of a program that nobody meets",
        "Require Import Program. Program Definition evil : False := _. Admit Obligations.",
        FROM_FALSE,
    ),
    trick(
        "a type's law taken back",
        "Set Universe Polymorphism. Unset Universe Checking. Inductive box : Type := Box : Type -> \
            box.\n\
         Axiom evil : False.",
        FROM_FALSE,
    ),
];
