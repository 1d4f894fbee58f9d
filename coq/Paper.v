(** Agreement with the semantics of the ATL paper (Liu, Bernstein, Chlipala, Ragan-Kelley, POPL
    2022): its tensors are nested lists (Fig. 2), its reshape operators are comprehensions (Fig. 5).
    On consistent, non-empty tensors the zero-extended functions of this library are the same. *)
From Coq Require Import ZArith Lia Bool List.
From Halidom Require Import Tensor Rules Reshape.
Import ListNotations.
Open Scope Z_scope.

Section Paper.
Context {ext : Extensionality} {K : semiring}.

(** ** Fig. 2: nested lists *)
Fixpoint P (d : nat) : Type := match d with O => carrier K | S d => list (P d) end.
Definition nothing (d : nat) : P d := match d with O => k0 K | S d => [] end.
Definition inb {A} (v : list A) (i : Z) : bool := within 0 (Z.of_nat (length v)) i.
Fixpoint p_guard (d : nat) (p : bool) : P d -> P d :=
  match d with O => fun e => kmul K (if p then k1 K else k0 K) e | S d => map (p_guard d p) end.
(** Out of bounds: the first element, guarded by [false]. *)
Definition p_get (d : nat) (v : P (S d)) (i : Z) : P d :=
  if inb (A := P d) v i then nth (Z.to_nat i) v (nothing d) else p_guard d false (hd (nothing d) v).
Fixpoint p_add (d : nat) : P d -> P d -> P d :=
  match d with
  | O => kadd K
  | S d => fun a b => map (fun i => p_add d (p_get d a (Z.of_nat i)) (p_get d b (Z.of_nat i)))
      (seq 0 (Nat.max (length a) (length b)))
  end.
Definition p_gen (d : nat) (lo hi : Z) (f : Z -> P d) : P (S d) :=
  map (fun i => f (lo + Z.of_nat i)) (seq 0 (Z.to_nat (hi - lo))).
(** A sum of one or more. *)
Fixpoint p_sum_up (d : nat) (lo : Z) (f : Z -> P d) (n : nat) : P d :=
  match n with O => f lo | S n => p_add d (p_sum_up d lo f n) (f (lo + Z.of_nat (S n))) end.
Definition p_sum (d : nat) (lo hi : Z) (f : Z -> P d) : P d :=
  p_sum_up d lo f (Z.to_nat (hi - lo - 1)).

(** Non-empty, with elements of one shape that are consistent themselves (section 7.1). *)
Fixpoint consistent (d : nat) (sh : list Z) : P d -> Prop :=
  match d, sh with
  | O, [] => fun _ => True
  | S d, n :: sh => fun v => 0 < n /\ Z.of_nat (length v) = n /\ Forall (consistent d sh) v
  | _, _ => fun _ => False
  end.

(** A nested list as a zero-extended function. *)
Fixpoint emb (d : nat) : P d -> T K d :=
  match d with
  | O => fun e => e
  | S d => fun v i => if inb (A := P d) v i then emb d (nth (Z.to_nat i) v (nothing d)) else zero d
  end.

Lemma emb_guard d p : forall v, emb d (p_guard d p v) = guard d p (emb d v).
Proof.
  induction d as [|d IH]; intro v.
  - simpl. destruct p; [apply kmul_1 | apply kmul_0].
  - extensionality i. simpl. unfold inb. rewrite map_length.
    destruct (within_spec 0 (Z.of_nat (length v)) i) as [H|H].
    + assert (L : (Z.to_nat i < length v)%nat)
        by (apply Nat2Z.inj_lt; rewrite Z2Nat.id by lia; apply H).
      rewrite (nth_indep _ (nothing d) (p_guard d p (nothing d))) by now rewrite map_length.
      rewrite map_nth, IH.
      destruct p; simpl; unfold inb; rewrite ?within_true by assumption; auto.
    + rewrite ?within_false by assumption.
      destruct p; simpl; unfold inb; rewrite ?within_false by assumption; auto.
Qed.
Lemma emb_get d v i : emb d (p_get d v i) = get d (emb (S d) v) i.
Proof.
  unfold p_get, get. cbn [emb].
  destruct (inb (A := P d) v i); [reflexivity | apply (emb_guard d false)].
Qed.
Lemma emb_gen d lo hi f : emb (S d) (p_gen d lo hi f) = gen d lo hi (fun i => emb d (f i)).
Proof.
  extensionality i. unfold gen, p_gen. simpl. unfold inb. rewrite map_length, seq_length.
  destruct (within_spec 0 (hi - lo) i) as [H|H].
  - rewrite within_true by lia. simpl.
    rewrite (nth_indep _ (nothing d) (f (lo + Z.of_nat 0)))
      by (rewrite map_length, seq_length; lia).
    rewrite (map_nth (fun i => f (lo + Z.of_nat i))), seq_nth by lia. do 2 f_equal. lia.
  - now rewrite within_false by lia.
Qed.
Lemma emb_add d :
  forall sh a b, consistent d sh a -> consistent d sh b ->
  emb d (p_add d a b) = add d (emb d a) (emb d b).
Proof.
  induction d as [|d IH]; intros [|n sh] a b A B; try easy.
  destruct A as (N & LA & FA), B as (_ & LB & FB). extensionality i. cbn [emb p_add add].
  unfold inb. rewrite map_length, seq_length.
  assert (L : length a = length b) by lia. rewrite <- L, Nat.max_id.
  destruct (within_spec 0 (Z.of_nat (length a)) i) as [H|H].
  2: { repeat match goal with
       | |- context [within 0 ?m i] => rewrite (within_false 0 m i)
           by (first [exact H | rewrite L in H; exact H])
       end. symmetry. apply add_0_l. }
  repeat match goal with
  | |- context [within 0 ?m i] => rewrite (within_true 0 m i)
      by (first [exact H | rewrite L in H; exact H])
  end.
  rewrite (nth_indep _ (nothing d) (p_add d (p_get d a (Z.of_nat 0)) (p_get d b (Z.of_nat 0))))
    by (rewrite map_length, seq_length; lia).
  rewrite (map_nth (fun i => p_add d (p_get d a (Z.of_nat i)) (p_get d b (Z.of_nat i)))), seq_nth
    by lia.
  simpl plus. rewrite Z2Nat.id by lia. unfold p_get, inb.
  assert (H2 : 0 <= i < Z.of_nat (length b)) by (rewrite <- L; exact H).
  repeat match goal with |- context [within 0 ?m i] => rewrite (within_true 0 m i)
    by (first [exact H | exact H2]) end.
  apply (IH sh); [apply (proj1 (Forall_forall _ _) FA) | apply (proj1 (Forall_forall _ _) FB)];
    apply nth_In; lia.
Qed.
Lemma consistent_add d :
  forall sh a b, consistent d sh a -> consistent d sh b -> consistent d sh (p_add d a b).
Proof.
  induction d as [|d IH]; intros [|n sh] a b A B; try easy.
  destruct A as (N & LA & FA), B as (_ & LB & FB). cbn [p_add consistent].
  rewrite map_length, seq_length.
  assert (L : length a = length b) by lia. match goal with |- context [Nat.max ?x ?y] =>
    replace (Nat.max x y) with (length a)
    by (change x with (length a); change y with (length b); lia) end.
  repeat split; auto.
  apply Forall_forall. intros v Hv. apply in_map_iff in Hv. destruct Hv as (k & <- & Hk).
  apply in_seq in Hk.
  assert (H1 : 0 <= Z.of_nat k < Z.of_nat (length a)) by lia.
  assert (H2 : 0 <= Z.of_nat k < Z.of_nat (length b)) by lia.
  unfold p_get, inb.
  repeat match goal with |- context [within 0 ?m ?i] => rewrite (within_true 0 m i)
    by (first [exact H1 | exact H2]) end.
  apply IH; [apply (proj1 (Forall_forall _ _) FA) | apply (proj1 (Forall_forall _ _) FB)];
    apply nth_In; lia.
Qed.
Lemma emb_sum d sh lo hi f :
  lo < hi -> (forall i, lo <= i < hi -> consistent d sh (f i)) ->
  emb d (p_sum d lo hi f) = sum d lo hi (fun i => emb d (f i)).
Proof.
  intros H C. unfold p_sum, sum.
  replace (Z.to_nat (hi - lo)) with (S (Z.to_nat (hi - lo - 1))) by lia.
  assert (A : forall n, lo + Z.of_nat n < hi ->
    consistent d sh (p_sum_up d lo f n)
      /\ emb d (p_sum_up d lo f n) = sum_up d lo (fun i => emb d (f i)) (S n)).
  { induction n as [|n IH]; intro L.
    - simpl. rewrite add_0_l, Z.add_0_r. split; auto. apply C. lia.
    - destruct IH as [I1 I2]; [lia|]. cbn [p_sum_up]. split.
      + apply consistent_add; auto. apply C. lia.
      + rewrite (emb_add d sh), I2; auto. apply C. lia. }
  apply A. lia.
Qed.
(** ** Fig. 5: the reshape operators are the paper's comprehensions. [concat_unfold],
    [transpose_unfold], [split_unfold], [pad_r_unfold], [pad_l_unfold], [trunc_r_unfold] and
    [trunc_l_unfold] of [Reshape] are the figure's equations; this is the one that is left. *)
Lemma flatten_comprehension d n m (v : T K (S (S d))) :
  0 <= n -> 0 < m ->
  flatten d n m v
  = gen d 0 (n * m)
  (fun i => sum d 0 n (fun j =>
    sum d 0 m (fun k => guard d (i =? j * m + k) (get d (get (S d) v j) k)))).
Proof.
  intros Hn Hm. rewrite flatten_unfold. apply gen_in. intros i Hi. symmetry.
  pose proof (Z.div_mod i m ltac:(lia)) as D. pose proof (Z.mod_pos_bound i m Hm) as M.
  assert (B : 0 <= i / m < n) by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]).
  transitivity (sum d 0 n (fun j => guard d (j =? i / m) (get d (get (S d) v j) (i mod m)))).
  - apply sum_in. intros j Hj.
    transitivity
      (sum d 0 m (fun k =>
        guard d (k =? i mod m) (guard d (j =? i / m) (get d (get (S d) v j) k)))).
    + apply sum_in. intros k Hk. rewrite guard_merge. f_equal. apply eq_true_iff_eq.
      rewrite andb_true_iff, !Z.eqb_eq. split.
      * intro E. assert (j = i / m) by (subst i; rewrite Z.div_add_l, Z.div_small; lia). subst j.
        lia.
      * intros [-> ->]. lia.
    + rewrite (sum_delta d 0 m (i mod m) (fun k => guard d (j =? i / m) (get d (get (S d) v j) k))).
      rewrite (proj2 (Z.leb_le 0 (i mod m))), (proj2 (Z.ltb_lt (i mod m) m)) by lia. reflexivity.
  - rewrite (sum_delta d 0 n (i / m) (fun j => get d (get (S d) v j) (i mod m))).
    rewrite (proj2 (Z.leb_le 0 (i / m))), (proj2 (Z.ltb_lt (i / m) n)) by lia. reflexivity.
Qed.
End Paper.
