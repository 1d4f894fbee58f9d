(** What runs before what (crates/validate/src/program/order.rs): the order of the program's text,
    and that every run comes in it. *)
From Coq Require Import ZArith Lia List.
Import ListNotations.

(** A step from the root of a program to an instance: the part of a statement, or the iteration of a
    loop and whether the loop is serial. *)
Inductive step := Part (number : nat) | Iteration (serial : bool) (at_value : Z).
Definition path := list step.

(** That the first certainly comes before the second. *)
Fixpoint before (p q : path) : Prop :=
  match p, q with
  | Part i :: p, Part j :: q => i < j \/ i = j /\ before p q
  | Iteration serial u :: p, Iteration serial' v :: q => serial = serial'
      /\ (serial = true /\ (u < v)%Z \/ u = v /\ before p q)
  | _, _ => False
  end.

Lemma before_irreflexive p : ~ before p p.
Proof. induction p as [|[i|serial u] p IH]; simpl; [auto| |]; intros order; intuition lia. Qed.

Lemma before_transitive p q r : before p q -> before q r -> before p r.
Proof.
  revert q r. induction p as [|[i|serial u] p IH]; intros [|[j|serial' v] q] [|[k|serial'' w] r];
    simpl; intros first second; try contradiction.
  - destruct first as [first|[-> first]], second as [second|[-> second]]; try (left; lia). right.
    split; [reflexivity|eauto].
  - destruct first as [-> first], second as [-> second]. split; [reflexivity|].
    destruct first as [[-> first]|[-> first]], second as [[serial_again second]|[-> second]].
    + left. split; [assumption|lia].
    + left. auto.
    + left. auto.
    + right. split; [reflexivity|eauto].
Qed.

(** What stands under a label comes before what stands under another, if the label does. *)
Lemma before_under p q inside inside' : before p q -> before (p ++ inside) (q ++ inside').
Proof.
  revert q. induction p as [|[i|serial u] p IH]; intros [|[j|serial' v] q]; simpl; intros order;
    try contradiction; intuition.
Qed.

(** The statements that one run goes through: conditions have chosen, and loops have their
    iterations. *)
Inductive statement :=
| Access
| Parts (parts : list statement)
| Serial (iterations : list (Z * statement))
| Unordered (iterations : list (Z * statement)).

Inductive shuffle {A} : list A -> list A -> list A -> Prop :=
| shuffle_nil : shuffle [] [] []
| shuffle_left x a b c : shuffle a b c -> shuffle (x :: a) b (x :: c)
| shuffle_right x a b c : shuffle a b c -> shuffle a (x :: b) (x :: c).

(** The accesses of a statement as they come in time. *)
Inductive runs : statement -> list path -> Prop :=
| run_access : runs Access [[]]
| run_parts parts trace : runs_parts 0 parts trace -> runs (Parts parts) trace
| run_serial iterations trace : runs_serial iterations trace -> runs (Serial iterations) trace
| run_unordered iterations trace : runs_unordered iterations trace ->
runs (Unordered iterations) trace
with runs_parts : nat -> list statement -> list path -> Prop :=
| no_part number : runs_parts number [] []
| next_part number s rest first others :
    runs s first -> runs_parts (S number) rest others ->
    runs_parts number (s :: rest) (map (cons (Part number)) first ++ others)
with runs_serial : list (Z * statement) -> list path -> Prop :=
| no_iteration : runs_serial [] []
| next_iteration v s rest first others :
    runs s first -> runs_serial rest others -> Forall (fun i => (v < fst i)%Z) rest ->
    runs_serial ((v, s) :: rest) (map (cons (Iteration true v)) first ++ others)
with runs_unordered : list (Z * statement) -> list path -> Prop :=
| none_unordered : runs_unordered [] []
| some_unordered v s rest first others trace :
    runs s first -> runs_unordered rest others -> Forall (fun i => v <> fst i) rest ->
    shuffle (map (cons (Iteration false v)) first) others trace ->
    runs_unordered ((v, s) :: rest) trace.

Scheme runs_ind' := Minimality for runs Sort Prop
with runs_parts_ind' := Minimality for runs_parts Sort Prop
with runs_serial_ind' := Minimality for runs_serial Sort Prop
with runs_unordered_ind' := Minimality for runs_unordered Sort Prop.
Combined Scheme runs_all from runs_ind', runs_parts_ind', runs_serial_ind', runs_unordered_ind'.

(** No access comes after one that it is certainly before. *)
Definition admits : list path -> Prop := ForallOrdPairs (fun p q => ~ before q p).

Lemma admits_under x trace :
  (forall p q, before (x :: p) (x :: q) -> before p q) -> admits trace ->
  admits (map (cons x) trace).
Proof.
  intros strip. induction 1 as [|p trace here rest IH]; simpl; constructor; [|assumption].
  apply Forall_map. eapply Forall_impl; [|exact here]. intros q no order. apply no. now apply strip.
Qed.

Lemma admits_append first others :
  admits first -> admits others -> (forall p q, In p first -> In q others -> ~ before q p) ->
  admits (first ++ others).
Proof.
  intros here there across. induction here as [|p first one rest IH]; simpl; [assumption|].
  constructor.
  - apply Forall_app. split; [assumption|]. apply Forall_forall. intros q among.
    apply across; simpl; auto.
  - apply IH. intros; apply across; simpl; auto.
Qed.

Lemma shuffle_in {A} (a b c : list A) x : shuffle a b c -> In x c -> In x a \/ In x b.
Proof. induction 1; simpl; intuition. Qed.

Lemma admits_shuffle first others trace :
  shuffle first others trace -> admits first -> admits others ->
  (forall p q, In p first -> In q others -> ~ before q p /\ ~ before p q) -> admits trace.
Proof.
  induction 1 as [|x a b c mix IH|x a b c mix IH]; intros here there across; [constructor| |].
  - inversion here as [|? ? one rest]; subst. constructor.
    + apply Forall_forall. intros q among. destruct (shuffle_in _ _ _ _ mix among) as [mine|theirs].
      * rewrite Forall_forall in one. auto.
      * exact (proj1 (across x q (or_introl eq_refl) theirs)).
    + apply IH; auto. intros p q mine theirs. apply across; [right; assumption|assumption].
  - inversion there as [|? ? one rest]; subst. constructor.
    + apply Forall_forall. intros q among. destruct (shuffle_in _ _ _ _ mix among) as [mine|theirs].
      * exact (proj2 (across q x mine (or_introl eq_refl))).
      * rewrite Forall_forall in one. auto.
    + apply IH; auto. intros p q mine theirs. apply across; [assumption|right; assumption].
Qed.

(** Every run of a statement comes in the order of its text. *)
Theorem order_admitted : forall s trace, runs s trace -> admits trace.
Proof.
  enough ((forall s trace, runs s trace -> admits trace)
    /\ (forall number parts trace, runs_parts number parts trace ->
        admits trace /\ forall p, In p trace -> exists j rest, number <= j /\ p = Part j :: rest)
    /\ (forall iterations trace, runs_serial iterations trace ->
        admits trace /\ forall p, In p trace -> exists i rest, In i iterations
          /\ p = Iteration true (fst i) :: rest)
    /\ (forall iterations trace, runs_unordered iterations trace ->
        admits trace /\ forall p, In p trace -> exists i rest, In i iterations
          /\ p = Iteration false (fst i) :: rest)) as all by apply all.
  apply runs_all; intros; try tauto.
  - repeat constructor.
  - split; [constructor|contradiction].
  - destruct H2 as [there heads]. split.
    + apply admits_append; [apply admits_under; [|assumption]|assumption|];
        [simpl; intros; intuition lia|].
      intros p q in_first in_others. apply in_map_iff in in_first.
      destruct in_first as (p' & <- & _).
      destruct (heads q in_others) as (j & rest' & later & ->). simpl. lia.
    + intros p among. apply in_app_iff in among. destruct among as [in_first|in_others].
      * apply in_map_iff in in_first. destruct in_first as (p' & <- & _). eauto.
      * destruct (heads p in_others) as (j & rest' & later & ->). exists j, rest'.
        split; [lia|reflexivity].
  - split; [constructor|contradiction].
  - destruct H2 as [there heads]. split.
    + apply admits_append; [apply admits_under; [|assumption]|assumption|];
        [simpl; intros; intuition lia|].
      intros p q in_first in_others. apply in_map_iff in in_first.
      destruct in_first as (p' & <- & _).
      destruct (heads q in_others) as (i & rest' & later & ->). rewrite Forall_forall in H3.
      specialize (H3 i later). simpl. intuition lia.
    + intros p among. apply in_app_iff in among. destruct among as [in_first|in_others].
      * apply in_map_iff in in_first. destruct in_first as (p' & <- & _). exists (v, s), p'.
        simpl; auto.
      * destruct (heads p in_others) as (i & rest' & later & ->). exists i, rest'. simpl; auto.
  - split; [constructor|contradiction].
  - destruct H2 as [there heads]. split.
    + eapply admits_shuffle; [eassumption|apply admits_under; [|assumption]|assumption|];
        [simpl; intros; intuition congruence|].
      intros p q in_first in_others. apply in_map_iff in in_first.
      destruct in_first as (p' & <- & _).
      destruct (heads q in_others) as (i & rest' & later & ->). rewrite Forall_forall in H3.
      specialize (H3 i later). simpl. intuition congruence.
    + intros p among. destruct (shuffle_in _ _ _ _ H4 among) as [in_first|in_others].
      * apply in_map_iff in in_first. destruct in_first as (p' & <- & _). exists (v, s), p'.
        simpl; auto.
      * destruct (heads p in_others) as (i & rest' & later & ->). exists i, rest'. simpl; auto.
Qed.
