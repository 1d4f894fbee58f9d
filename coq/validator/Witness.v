(** The witness lemma of docs/validator.md: what a closed obligation of kind `coverage` shows
    (crates/validate/src/obligation/coverage.rs).

    A [target] is an instance of a stage: its location and the point of its domain. A guess names a
    store under the label and says, in terms of the target, at which iteration of its loops and lane
    it is hoped to be written. [runs] is what the store's place asks of the iteration beyond what
    holds at the label. *)
From Coq Require Import List.
Import ListNotations.

Section Witness.
Variables store iteration target : Type.
(** That the iteration of the store is run, and the instance that it claims. *)
Variable runs : store -> iteration -> Prop.
Variable claims : store -> iteration -> target.
(** That the instance exists and writes a location of the region that the label owes the stage. *)
Variable needed : target -> Prop.
(** That its location was promised by an instance of a label before (sliding windows). *)
Variable kept : target -> Prop.
(** Conditions are formulas of integer arithmetic: they hold or do not. *)
Hypothesis runs_decided : forall s i, runs s i \/ ~ runs s i.
Hypothesis claims_decided : forall (t u : target), t = u \/ t <> u.
Hypothesis kept_decided : forall t, kept t \/ ~ kept t.

Definition guess : Type := store * (target -> iteration).
Definition fails (t : target) (g : guess) : Prop :=
  ~ (runs (fst g) (snd g t) /\ claims (fst g) (snd g t) = t).

Lemma some_guess_holds (guesses : list guess) t :
  ~ Forall (fails t) guesses -> exists s i, runs s i /\ claims s i = t.
Proof.
  induction guesses as [|g guesses IH]; intros some; [destruct some; constructor|].
  destruct (runs_decided (fst g) (snd g t)) as [run|still].
  - destruct (claims_decided (claims (fst g) (snd g t)) t) as [same|other]; [eauto|].
    apply IH. intros all. apply some. constructor; [|assumption]. intros [_ same]. contradiction.
  - apply IH. intros all. apply some. constructor; [|assumption]. intros [run _]. contradiction.
Qed.

(** Whatever the guesses are: if the instance's existence contradicts the failure of all of them, it
    is run, or what it writes was promised before. *)
Theorem witness (guesses : list guess) :
  (forall t, ~ (needed t /\ Forall (fails t) guesses /\ ~ kept t)) ->
  forall t, needed t -> (exists s i, runs s i /\ claims s i = t) \/ kept t.
Proof.
  intros contradictory t need. destruct (kept_decided t) as [keep|not_kept]; [now right|].
  left. apply (some_guess_holds guesses). intros all. apply (contradictory t). auto.
Qed.

(** Cases: what guesses ask of sizes alone may be split, if the cases are all. *)
Theorem witness_by_cases (cases : list ((target -> Prop) * list guess)) :
  (forall t, needed t -> Exists (fun c => fst c t) cases) ->
  (forall c, In c cases -> forall t, ~ (needed t /\ fst c t /\ Forall (fails t) (snd c))) ->
  forall t, needed t -> exists s i, runs s i /\ claims s i = t.
Proof.
  intros all covered t need. specialize (all t need). apply Exists_exists in all.
  destruct all as (c & among & holds).
  apply (some_guess_holds (snd c)). intros failed. now apply (covered c among t).
Qed.
End Witness.
