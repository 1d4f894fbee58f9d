(** Updates that commute, and factored updates (docs/validator.md). *)
From Coq Require Import List Permutation.
Import ListNotations.

(** Where an operator's applications may be exchanged, every order of the instances at a location
    leaves one value. *)
Theorem commuting_orders {value argument} (update : value -> argument -> value) :
  (forall z a b, update (update z a) b = update (update z b) a) ->
  forall order order', Permutation order order' ->
  forall z, fold_left update order z = fold_left update order' z.
Proof.
  intros exchange order order' same. induction same; intros z; simpl; auto.
  - now rewrite exchange.
  - congruence.
Qed.

Section Factored.
Context {value : Type} (op : value -> value -> value) (neutral : value).
Hypothesis associative : forall a b c, op (op a b) c = op a (op b c).
Hypothesis right_neutral : forall a, op a neutral = a.

Lemma fold_from z terms : fold_left op terms z = op z (fold_left op terms neutral).
Proof.
  assert (forall terms z y, fold_left op terms (op z y) = op z (fold_left op terms y)) as through.
  { clear z terms. induction terms as [|t terms IH]; intros z y; simpl; [reflexivity|].
    now rewrite associative, IH. }
  rewrite <- through. now rewrite right_neutral.
Qed.

(** The terms at a location, in groups by the kept variables: each group is summed by itself from
    the constant, then the groups are, in their order. *)
Theorem factored (groups : list (list value)) z :
  fold_left op (map (fun terms => fold_left op terms neutral) groups) z
  = fold_left op (concat groups) z.
Proof.
  revert z. induction groups as [|terms groups IH]; intros z; simpl; [reflexivity|].
  now rewrite fold_left_app, IH, <- fold_from.
Qed.

(** In any order, if the operator commutes. *)
Theorem factored_commuting (commutative : forall a b, op a b = op b a)
  (groups : list (list value)) terms z :
  Permutation (concat groups) terms ->
  fold_left op (map (fun terms => fold_left op terms neutral) groups) z = fold_left op terms z.
Proof.
  intros same. rewrite factored. apply commuting_orders; [|assumption].
  intros x a b. now rewrite !associative, (commutative a b).
Qed.
End Factored.
