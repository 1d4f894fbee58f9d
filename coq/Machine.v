(** Loop nests with the numbers of C.

    Sizes and indices are 64 bits wide in C, and integers in [Loop]. [exec64] runs a loop nest and
    fails, besides at an access out of bounds, where a number that the C computes is beyond [limit],
    or where it divides by what is not positive. [entry] lists what the C checks before it begins;
    [run] shows that a nest that passes runs as [exec] says. *)
From Coq Require Import ZArith Lia Bool List String.
From Halidom Require Import Tensor Loop.
Open Scope Z_scope.
Import ListNotations.

(** Far below 2^63, so that what the C's helpers compute on the way fits too: [a + b - 1] for a
    quotient, and 8 bytes for each element of an array. *)
Definition limit : Z := 2 ^ 59.
Definition fit (v : Z) : option Z := if (- limit <=? v) && (v <=? limit) then Some v else None.
Definition both {A B C} (f : A -> B -> option C) (a : option A) (b : option B) : option C :=
  match a, b with Some x, Some y => f x y | _, _ => None end.

(** The shapes of the arrays in scope, for accesses to row-major storage. *)
Definition shapes := list (string * list index).
Fixpoint shape_of (s : shapes) (a : string) : list index :=
  match s with [] => [] | (b, sh) :: s => if String.eqb a b then sh else shape_of s a end.
Fixpoint row_major (offset : index) (is sh : list index) : index :=
  match is, sh with i :: is, n :: sh => row_major (Plus (Times offset n) i) is sh
  | _, _ => offset end.
Definition offset (s : shapes) (a : string) (is : list index) : index :=
  match is, shape_of s a with i :: is, _ :: sh => row_major i is sh | _, _ => Num 0 end.
Definition count (sh : list index) : index :=
  match sh with [] => Num 1 | n :: sh => fold_left Times sh n end.

(** ** What the C computes *)
Fixpoint ieval64 (r : env) (e : index) : option Z :=
  match e with
  | Var x => fit (value r x)
  | Num c => fit c
  | Plus a b => both (fun x y => fit (x + y)) (ieval64 r a) (ieval64 r b)
  | Minus a b => both (fun x y => fit (x - y)) (ieval64 r a) (ieval64 r b)
  | Times a b => both (fun x y => fit (x * y)) (ieval64 r a) (ieval64 r b)
  | Over a b => both (fun x y => if 0 <? y then fit (x / y) else None) (ieval64 r a) (ieval64 r b)
  | Rem a b => both (fun x y => if 0 <? y then fit (x mod y) else None) (ieval64 r a) (ieval64 r b)
  | Up a b => both (fun x y => if 0 <? y then fit (cdiv x y) else None) (ieval64 r a) (ieval64 r b)
  | Least a b => both (fun x y => fit (Z.min x y)) (ieval64 r a) (ieval64 r b)
  | Most a b => both (fun x y => fit (Z.max x y)) (ieval64 r a) (ieval64 r b)
  end.
Fixpoint teval64 (r : env) (p : test) : option bool :=
  match p with
  | Yes => Some true
  | No => Some false
  | Lt a b => both (fun x y => Some (x <? y)) (ieval64 r a) (ieval64 r b)
  | Le a b => both (fun x y => Some (x <=? y)) (ieval64 r a) (ieval64 r b)
  | Eq a b => both (fun x y => Some (x =? y)) (ieval64 r a) (ieval64 r b)
  | And p q => both (fun x y => Some (x && y)) (teval64 r p) (teval64 r q)
  end.

Section Semantics.
Context {K : semiring}.
Fixpoint seval64 (s : shapes) (r : env) (m : memory K) (e : scalar) : option K :=
  match e with
  | Zero => Some (k0 K)
  | One => Some (k1 K)
  | Fetch a is =>
      both (fun v _ => let js := map (ieval r) is in if inside js (shape v)
        then Some (contents v js) else None) (m a) (ieval64 r (offset s a is))
  | Sum2 a b => both (fun x y => Some (kadd K x y)) (seval64 s r m a) (seval64 s r m b)
  | Mul2 a b => both (fun x y => Some (kmul K x y)) (seval64 s r m a) (seval64 s r m b)
  | When p a => match teval64 r p with Some true => seval64 s r m a | Some false => Some (k0 K)
      | None => None end
  | Apply0 f => Some (prim K f [])
  | Apply1 f a => match seval64 s r m a with Some x => Some (prim K f [x]) | None => None end
  | Apply2 f a b => both (fun x y => Some (prim K f [x; y])) (seval64 s r m a) (seval64 s r m b)
  end.
Fixpoint exec64 (s : shapes) (r : env) (c : stmt) (m : memory K) : option (memory K) :=
  match c with
  | Skip => Some m
  | Store a is e =>
      match m a, ieval64 r (offset s a is), seval64 s r m e with
      | Some v, Some _, Some x =>
          let js := map (ieval r) is in
          if inside js (shape v)
          then Some (set m a (Some (Array (shape v) (bump (contents v) js x)))) else None
      | _, _, _ => None
      end
  | Seq c d => match exec64 s r c m with Some m => exec64 s r d m | None => None end
  | For x lo hi c =>
      both (fun lo hi => times (Z.to_nat (hi - lo)) lo (fun i => exec64 s ((x, i) :: r) c) m)
      (ieval64 r lo) (ieval64 r hi)
  | If p c => match teval64 r p with Some true => exec64 s r c m | Some false => Some m
      | None => None end
  | New a sh c =>
      match ieval64 r (count sh) with
      | Some _ =>
          match exec64 ((a, sh) :: s) r c
          (set m a (Some (Array (map (ieval r) sh) (fun _ => k0 K)))) with
          | Some m' => Some (set m' a (m a))
          | None => None
          end
      | None => None
      end
  | Clear a =>
      match m a, ieval64 r (count (shape_of s a)) with
      | Some v, Some _ => Some (set m a (Some (Array (shape v) (fun _ => k0 K))))
      | _, _ => None
      end
  end.
End Semantics.

(** ** What the C checks first: bounds that it computes of the sizes, and conditions *)
Definition bounds := list (string * index).
Fixpoint bound_of (x : string) (s : bounds) : option index :=
  match s with [] => None | (y, b) :: s => if String.eqb x y then Some b else bound_of x s end.
(** An expression over sizes that no magnitude of [e] exceeds; [s] has such bounds of loop
    variables. *)
Fixpoint most (s : bounds) (e : index) : index :=
  match e with
  | Var x => match bound_of x s with Some b => b | None => Var x end
  | Num c => Num (Z.abs c)
  | Plus a b | Minus a b => Plus (most s a) (most s b)
  | Times a b => Times (most s a) (most s b)
  | Over a _ | Up a _ => most s a
  | Rem _ b => most s b
  | Least a b | Most a b => Most (most s a) (most s b)
  end.
(** Parts of [e] that the bound of [e] says nothing of. *)
Fixpoint apart (s : bounds) (e : index) : list index :=
  match e with
  | Var _ | Num _ => []
  | Plus a b | Minus a b | Times a b | Least a b | Most a b => apart s a ++ apart s b
  | Over a b | Up a b => most s b :: apart s a ++ apart s b
  | Rem a b => most s a :: apart s a ++ apart s b
  end.
Fixpoint divisors (e : index) : list index :=
  match e with
  | Var _ | Num _ => []
  | Plus a b | Minus a b | Times a b | Least a b | Most a b => divisors a ++ divisors b
  | Over a b | Up a b | Rem a b => divisors a ++ divisors b ++ [b]
  end.
Fixpoint closed (s : bounds) (e : index) : bool :=
  match e with
  | Var x => match bound_of x s with Some _ => false | None => true end
  | Num _ => true
  | Plus a b | Minus a b | Times a b | Least a b | Most a b | Over a b | Up a b
      | Rem a b => closed s a && closed s b
  end.

Inductive check := Fits (b : index) | Holds (p : test).
Definition positive (s : bounds) (b : index) : check :=
  Holds (if closed s b then Lt (Num 0) b else No).
Definition of_index (s : bounds) (e : index) : list check :=
  map Fits (most s e :: apart s e) ++ map (positive s) (divisors e).
Fixpoint of_test (s : bounds) (p : test) : list check :=
  match p with
  | Yes | No => []
  | Lt a b | Le a b | Eq a b => of_index s a ++ of_index s b
  | And p q => of_test s p ++ of_test s q
  end.
Fixpoint of_scalar (s : bounds) (sh : shapes) (e : scalar) : list check :=
  match e with
  | Zero | One | Apply0 _ => []
  | Fetch a is => of_index s (offset sh a is)
  | Sum2 a b | Mul2 a b | Apply2 _ a b => of_scalar s sh a ++ of_scalar s sh b
  | When p a => of_test s p ++ of_scalar s sh a
  | Apply1 _ a => of_scalar s sh a
  end.
Fixpoint of_stmt (s : bounds) (sh : shapes) (c : stmt) : list check :=
  match c with
  | Skip => []
  | Store a is e => of_index s (offset sh a is) ++ of_scalar s sh e
  | Seq c d => of_stmt s sh c ++ of_stmt s sh d
  | For x lo hi c =>
      of_index s lo ++ of_index s hi ++ of_stmt ((x, Most (most s lo) (most s hi)) :: s) sh c
  | If p c => of_test s p ++ of_stmt s sh c
  | New a d c => of_index s (count d) ++ of_stmt s ((a, d) :: sh) c
  | Clear a => of_index s (count (shape_of sh a))
  end.
(** The sizes, the conditions of the derivation, the numbers of the loop nest. *)
Definition entry (sizes : list string) (conditions : list test) (sh : shapes) (c : stmt) :
  list check :=
  map (fun x => Fits (Var x)) sizes ++ flat_map (fun p => of_test [] p ++ [Holds p]) conditions
  ++ of_stmt [] sh c.

(** What a bound is; nothing if it is negative or beyond the limit, or a part of it is. *)
Definition bounded (v : Z) : option Z := if (0 <=? v) && (v <=? limit) then Some v else None.
Fixpoint up (r : env) (b : index) : option Z :=
  match b with
  | Var x => bounded (value r x)
  | Num c => bounded c
  | Plus a b => both (fun x y => bounded (x + y)) (up r a) (up r b)
  | Times a b => both (fun x y => bounded (x * y)) (up r a) (up r b)
  | Most a b => both (fun x y => bounded (Z.max x y)) (up r a) (up r b)
  | Minus _ _ | Over _ _ | Rem _ _ | Up _ _ | Least _ _ => None
  end.
Definition passes (r : env) (c : check) : bool :=
  match c with Fits b => match up r b with Some _ => true | None => false end
  | Holds p => teval r p end.
Definition admits (r : env) (cs : list check) : bool := forallb (passes r) cs.

(** ** A nest that passes computes no number beyond the limit *)
Lemma admits_app r a b : admits r (a ++ b) = true <-> admits r a = true /\ admits r b = true.
Proof. unfold admits. rewrite forallb_app. apply andb_true_iff. Qed.
Lemma fit_some v : Z.abs v <= limit -> fit v = Some v.
Proof.
  intro H. unfold fit. rewrite (proj2 (Z.leb_le _ _)), (proj2 (Z.leb_le _ _)) by lia. reflexivity.
Qed.
Lemma bounded_some v w : bounded v = Some w -> w = v /\ 0 <= v <= limit.
Proof.
  unfold bounded. destruct (Z.leb_spec 0 v), (Z.leb_spec v limit); simpl; intros [= <-]; lia.
Qed.
Lemma both_some {A B C} (f : A -> B -> option C) a b c :
  both f a b = Some c -> exists x y, a = Some x /\ b = Some y /\ f x y = Some c.
Proof. destruct a, b; simpl; intro H; try discriminate. eauto. Qed.
Lemma up_range r : forall b v, up r b = Some v -> 0 <= v <= limit.
Proof.
  induction b; intros v H; simpl in H; try discriminate; try (apply bounded_some in H; lia);
    apply both_some in H; destruct H as (x & y & _ & _ & H); apply bounded_some in H; lia.
Qed.

Section Passing.
Variable r : env.
(** [q] is [r] with loop variables in front, each within its bound in [s]. *)
Definition inner (s : bounds) (q : env) : Prop :=
  forall x, match bound_of x s with Some b => exists v, up r b = Some v
  /\ Z.abs (value q x) <= v | None => value q x = value r x end.

Lemma closed_same s q e : inner s q -> closed s e = true -> ieval q e = ieval r e.
Proof.
  intro I. induction e; simpl; intro C; auto;
    try (apply andb_prop in C; destruct C as [C D]; now rewrite IHe1, IHe2).
  specialize (I x). now destruct (bound_of x s).
Qed.
Lemma positive_is s q b : inner s q -> passes r (positive s b) = true -> 0 < ieval q b.
Proof.
  intros I P. unfold positive in P. destruct (closed s b) eqn:C; simpl in P; [|discriminate].
  rewrite (closed_same s q b I C). now apply Z.ltb_lt.
Qed.
Lemma div_small x y : 0 < y -> Z.abs (x / y) <= Z.abs x.
Proof.
  intro H. pose proof (Z.div_mod x y ltac:(lia)). pose proof (Z.mod_pos_bound x y H).
  destruct (Z.le_gt_cases 0 x); nia.
Qed.
Lemma cdiv_small x y : 0 < y -> Z.abs (cdiv x y) <= Z.abs x.
Proof.
  intro H. unfold cdiv. pose proof (Z.div_mod (x + y - 1) y ltac:(lia)).
  pose proof (Z.mod_pos_bound (x + y - 1) y H).
  set (z := (x + y - 1) / y) in *. destruct (Z.le_gt_cases 1 x); [|destruct (Z.eq_dec x 0)]; nia.
Qed.

Lemma index_passes s q e : inner s q -> forall v,
  up r (most s e) = Some v -> admits r (map Fits (apart s e)) = true ->
  admits r (map (positive s) (divisors e)) = true ->
  ieval64 q e = Some (ieval q e) /\ Z.abs (ieval q e) <= v.
Proof.
  intro I. induction e; intros v U A D; simpl most in U; simpl apart in A; simpl divisors in D;
    simpl ieval64; simpl ieval;
    repeat rewrite ?map_app, ?admits_app in A; repeat rewrite ?map_app, ?admits_app in D.
  1: { specialize (I x). destruct (bound_of x s).
    - destruct I as (w & W & L). rewrite U in W. injection W as <-. split; auto. apply fit_some.
      pose proof (up_range _ _ _ U). lia.
    - simpl in U. apply bounded_some in U. rewrite I. split; [apply fit_some|]; lia. }
  1: { apply bounded_some in U. split; [apply fit_some|]; lia. }
  1-3, 7-8: simpl in U; apply both_some in U; destruct U as (x & y & X & Y & U);
    apply bounded_some in U;
    destruct (IHe1 x X (proj1 A) (proj1 D)) as [-> ?], (IHe2 y Y (proj2 A) (proj2 D)) as [-> ?];
    simpl; split; [apply fit_some|]; nia.
  all: simpl in A; apply andb_prop in A; destruct A as [B A]; rewrite map_app, admits_app in A;
    destruct D as (D1 & D2 & D3); simpl in D3; rewrite andb_true_r in D3;
    pose proof (positive_is _ _ _ I D3) as P.
  all: match type of B with context [up r ?b] => destruct (up r b) as [w|]; [|discriminate] end.
  - destruct (IHe1 v U (proj1 A) D1) as [-> ?], (IHe2 w eq_refl (proj2 A) D2) as [-> ?]. simpl.
    rewrite (proj2 (Z.ltb_lt _ _) P).
    pose proof (div_small (ieval q e1) _ P). pose proof (up_range _ _ _ U).
    split; [apply fit_some|]; lia.
  - destruct (IHe1 w eq_refl (proj1 A) D1) as [-> ?], (IHe2 v U (proj2 A) D2) as [-> ?]. simpl.
    rewrite (proj2 (Z.ltb_lt _ _) P).
    pose proof (Z.mod_pos_bound (ieval q e1) _ P). pose proof (up_range _ _ _ U).
    split; [apply fit_some|]; lia.
  - destruct (IHe1 v U (proj1 A) D1) as [-> ?], (IHe2 w eq_refl (proj2 A) D2) as [-> ?]. simpl.
    rewrite (proj2 (Z.ltb_lt _ _) P).
    pose proof (cdiv_small (ieval q e1) _ P). pose proof (up_range _ _ _ U).
    split; [apply fit_some|]; lia.
Qed.
Lemma of_index_passes s q e : inner s q -> admits r (of_index s e) = true ->
  exists v, up r (most s e) = Some v /\ ieval64 q e = Some (ieval q e) /\ Z.abs (ieval q e) <= v.
Proof.
  intros I H. unfold of_index in H. apply admits_app in H. destruct H as [A D]. simpl in A.
  apply andb_prop in A. destruct A as [U A].
  destruct (up r (most s e)) as [v|] eqn:W; [|discriminate]. exists v. split; auto.
  now apply (index_passes s q e I v W).
Qed.
Lemma index_is s q e :
  inner s q -> admits r (of_index s e) = true -> ieval64 q e = Some (ieval q e).
Proof. intros I H. now destruct (of_index_passes s q e I H) as (? & ? & ? & ?). Qed.
Local Opaque of_index.
Lemma test_is s q p : inner s q -> admits r (of_test s p) = true -> teval64 q p = Some (teval q p).
Proof.
  intro I. induction p; simpl; auto; intro H; apply admits_app in H; destruct H as [A B];
    rewrite ?(index_is _ _ _ I A), ?(index_is _ _ _ I B), ?IHp1, ?IHp2 by assumption; reflexivity.
Qed.

Context {K : semiring}.
Lemma scalar_is s q sh e (m : memory K) :
  inner s q -> admits r (of_scalar s sh e) = true -> seval64 sh q m e = seval q m e.
Proof.
  intro I. induction e; simpl; auto; intro H.
  - rewrite (index_is _ _ _ I H). now destruct (m a).
  - apply admits_app in H. destruct H as [A B]. now rewrite (IHe1 A), (IHe2 B).
  - apply admits_app in H. destruct H as [A B]. now rewrite (IHe1 A), (IHe2 B).
  - apply admits_app in H. destruct H as [A B]. rewrite (test_is _ _ _ I A), (IHe B).
    now destruct (teval q p).
  - now rewrite (IHe H).
  - apply admits_app in H. destruct H as [A B]. now rewrite (IHe1 A), (IHe2 B).
Qed.
Lemma times_ext (f g : Z -> memory K -> option (memory K)) lo : forall n m,
  (forall i m, lo <= i < lo + Z.of_nat n -> f i m = g i m) -> times n lo f m = times n lo g m.
Proof.
  induction n as [|n IH]; intros m H; simpl; auto. rewrite IH by (intros; apply H; lia).
  destruct (times n lo g m); auto. apply H. lia.
Qed.
Lemma inner_loop s q x lo hi i v w :
  inner s q -> up r (most s lo) = Some v -> up r (most s hi) = Some w -> Z.abs (ieval q lo) <= v ->
  Z.abs (ieval q hi) <= w ->
  ieval q lo <= i < ieval q hi -> inner ((x, Most (most s lo) (most s hi)) :: s) ((x, i) :: q).
Proof.
  intros I V W A B H y. cbn [bound_of value]. destruct (String.eqb y x); [|apply I].
  exists (Z.max v w). cbn [up]. rewrite V, W. cbn [both]. pose proof (up_range _ _ _ V).
  pose proof (up_range _ _ _ W). unfold bounded.
  rewrite (proj2 (Z.leb_le 0 _)), (proj2 (Z.leb_le _ limit)) by lia. split; auto. lia.
Qed.
Lemma stmt_is c :
  forall s q sh (m : memory K), inner s q -> admits r (of_stmt s sh c) = true ->
  exec64 sh q c m = exec q c m.
Proof.
  induction c; intros b q h m I H; simpl in H; simpl; auto; repeat rewrite admits_app in H.
  - destruct H as [A B]. rewrite (index_is _ _ _ I A), (scalar_is _ _ _ _ m I B). reflexivity.
  - destruct H as [A B]. rewrite (IHc1 b) by assumption. destruct (exec q c1 m); auto.
    now apply (IHc2 b).
  - destruct H as (A & B & C).
    destruct (of_index_passes _ _ _ I A) as (v & V & -> & ?), (of_index_passes _ _ _ I B)
      as (w & W & -> & ?). simpl.
    apply times_ext. intros i m' Hi. apply (IHc ((x, Most (most b lo) (most b hi)) :: b)); auto.
    apply (inner_loop b q x lo hi i v w); auto. lia.
  - destruct H as [A B]. rewrite (test_is _ _ _ I A). destruct (teval q p); auto. now apply (IHc b).
  - destruct H as [A B]. rewrite (index_is _ _ _ I A). now rewrite (IHc b) by assumption.
  - rewrite (index_is _ _ _ I H). now destruct (m a).
Qed.
End Passing.

(** Running a program that passes. *)
Lemma run {K : semiring} r sizes conditions sh c (m : memory K) :
  admits r (entry sizes conditions sh c) = true -> exec64 sh r c m = exec r c m.
Proof.
  intro H. unfold entry in H. repeat rewrite admits_app in H. apply (stmt_is r c [] r sh m).
  now intro. apply H.
Qed.
