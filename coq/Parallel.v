(** Loops whose iterations run at the same time, on threads or as lanes of vectors.

    A marked loop is [apart] if no two iterations touch the same element of an array, one of them by
    a write. Then no iteration can see whether another has run, so the loop has no data race, and
    every order of its iterations is as good as the one of [Loop.exec]. Which elements a statement
    touches depends on sizes and loop variables only: no index and no condition reads an array. *)
From Coq Require Import ZArith Bool List String.
From Halidom Require Import Loop.
Open Scope Z_scope.
Import ListNotations.

(** A claim about every access: the array, the place in it, and true for a write. *)
Definition claim := string -> list Z -> bool -> Prop.
Fixpoint reads (r : env) (e : scalar) (P : claim) : Prop :=
  match e with
  | Zero | One | Apply0 _ => True
  | Fetch a is => P a (map (ieval r) is) false
  | Sum2 a b | Mul2 a b | Apply2 _ a b => reads r a P /\ reads r b P
  | When p a => teval r p = true -> reads r a P
  | Apply1 _ a => reads r a P
  end.
(** An array that a statement makes for itself is not touched by others. *)
Fixpoint touches (r : env) (c : stmt) (P : claim) : Prop :=
  match c with
  | Skip => True
  | Store a is e => P a (map (ieval r) is) true /\ reads r e P
  | Seq c d => touches r c P /\ touches r d P
  | For x lo hi c => forall i, ieval r lo <= i < ieval r hi -> touches ((x, i) :: r) c P
  | If p c => teval r p = true -> touches r c P
  | New a _ c => touches r c (fun b is w => String.eqb b a = true \/ P b is w)
  | Clear a => forall is, P a is true
  end.

Fixpoint agree (is js : list Z) : Prop :=
  match is, js with [], [] => True | i :: is, j :: js => i = j /\ agree is js | _, _ => False end.
(** The accesses of [c] with [x = i] and those with [x = j] do not meet. *)
Definition separate (r : env) (x : string) (c : stmt) (i j : Z) : Prop :=
  touches ((x, i) :: r) c (fun a is w =>
    touches ((x, j) :: r) c (fun b js v => String.eqb a b && (w || v) = true -> agree is js ->
      False)).
Fixpoint apart (marks : list string) (r : env) (c : stmt) : Prop :=
  match c with
  | Skip | Store _ _ _ | Clear _ => True
  | Seq c d => apart marks r c /\ apart marks r d
  | For x lo hi c =>
      (existsb (String.eqb x) marks = true ->
       forall i j, ieval r lo <= i < ieval r hi -> ieval r lo <= j < ieval r hi -> i < j ->
         separate r x c i j)
      /\ (forall i, ieval r lo <= i < ieval r hi -> apart marks ((x, i) :: r) c)
  | If p c => teval r p = true -> apart marks r c
  | New _ _ c => apart marks r c
  end.

Lemma not_marked (P : Prop) : false = true -> P.
Proof. discriminate. Qed.
