(** The rewrite rules of the reshape operators: introduction of pairs that cancel, definitions, and
    how the operators commute with the core.

    As in [Rules], every lemma is a rule of the engine's table. *)
From Coq Require Import ZArith Lia Bool List.
From Halidom Require Import Tensor.
Open Scope Z_scope.

Section Reshape.
Context {ext : Extensionality} {K : semiring}.

Ltac points := repeat (let i := fresh "i" in extensionality i).
Ltac ranges :=
  simpl; repeat (match goal with |- context [within ?a ?b ?c] => destruct (within_spec a b c) end;
    simpl); try lia.

Lemma cdiv_covers n k i : 0 < k -> 0 <= i < n -> 0 <= i / k < cdiv n k.
Proof.
  intros Hk Hi. split. apply Z.div_pos; lia. unfold cdiv.
  pose proof (Z.div_mod (n + k - 1) k ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound (n + k - 1) k Hk) as M.
  apply Z.div_lt_upper_bound; nia.
Qed.

(** ** Introductions *)
Lemma transpose_intro : forall (d : nat) (v : T K (S (S d))), v = transpose d (transpose d v).
Proof. reflexivity. Qed.
Lemma transpose_cancel : forall (d : nat) (v : T K (S (S d))), transpose d (transpose d v) = v.
Proof. reflexivity. Qed.
Lemma tile_intro : forall (d : nat) (n k c : Z) (v : T K (S d)),
  0 < k -> c = cdiv n k -> supp d n v -> v = trunc_r d n (flatten d c k (split d n k v)).
Proof.
  intros d n k c v Hk -> Hv. extensionality i. unfold trunc_r, flatten, split.
  destruct (within_spec 0 n i) as [H|H]; [|now apply Hv]. simpl.
  pose proof (cdiv_covers n k i Hk H) as C. pose proof (Z.mod_pos_bound i k Hk) as M.
  pose proof (Z.div_mod i k ltac:(lia)) as D.
  replace (i / k * k + i mod k) with i by lia.
  rewrite !within_true, (proj2 (Z.ltb_lt i n)) by nia. reflexivity.
Qed.
Lemma split_intro : forall (d : nat) (n m : Z) (v : T K (S (S d))),
  0 < m -> supp (S d) n v -> (forall i, 0 <= i < n -> supp d m (get (S d) v i)) ->
  v = split d (n * m) m (flatten d n m v).
Proof.
  intros d n m v Hm Hv Hw. extensionality o. extensionality i. unfold split, flatten.
  unfold get in Hw.
  assert (C : cdiv (n * m) m = n).
  { unfold cdiv. replace (n * m + m - 1) with ((m - 1) + n * m) by ring.
    rewrite Z.div_add, Z.div_small by lia. lia. }
  rewrite C. destruct (within_spec 0 n o) as [H|H]; simpl; [|now rewrite Hv].
  destruct (within_spec 0 m i) as [I|I]; simpl; [|now apply Hw].
  rewrite (proj2 (Z.ltb_lt (o * m + i) (n * m))), within_true by nia. simpl.
  replace ((o * m + i) / m) with o by (rewrite Z.div_add_l, Z.div_small by lia; lia).
  replace ((o * m + i) mod m) with i
    by (rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia; reflexivity).
  reflexivity.
Qed.
Lemma pad_r_intro : forall (d : nat) (n k : Z) (v : T K (S d)),
  0 <= k -> supp d n v -> v = trunc_r d n (pad_r d n k v).
Proof.
  intros d n k v Hk Hv. extensionality i. unfold trunc_r, pad_r. ranges; [|now apply Hv].
  now rewrite (proj2 (Z.ltb_lt _ _)) by lia.
Qed.
Lemma pad_l_intro : forall (d : nat) (n k m : Z) (v : T K (S d)),
  0 <= k -> m = n + k -> supp d n v -> v = trunc_l d m n (pad_l d n k v).
Proof.
  intros d n k m v Hk -> Hv. extensionality i. unfold trunc_l, pad_l. ranges; [|now apply Hv].
  rewrite (proj2 (Z.leb_le _ _)) by lia. simpl. f_equal. lia.
Qed.

(** ** Definitions by comprehension *)
Lemma concat_unfold : forall (d : nat) (n m : Z) (u v : T K (S d)),
  0 <= n -> 0 <= m ->
  concat d n m u v
  = gen d 0 (n + m)
  (fun i => add d (guard d (i <? n) (get d u i)) (guard d (n <=? i) (get d v (i - n)))).
Proof.
  intros d n m u v Hn Hm. points. unfold concat, gen, get. rewrite Z.sub_0_r, !Z.add_0_l.
  destruct (Z.ltb_spec i n), (Z.leb_spec n i); ranges; rewrite ?add_0_l, ?add_0_r; auto.
Qed.
Lemma transpose_unfold : forall (d : nat) (n m : Z) (v : T K (S (S d))),
  supp (S d) n v -> (forall i, 0 <= i < n -> supp d m (get (S d) v i)) ->
  transpose d v = gen (S d) 0 m (fun j => gen d 0 n (fun i => get d (get (S d) v i) j)).
Proof.
  intros d n m v H1 H2. extensionality j. extensionality i. unfold transpose, gen, get in *.
  rewrite !Z.sub_0_r, !Z.add_0_l.
  destruct (Z.lt_ge_cases i 0), (Z.lt_ge_cases i n); ranges;
    first [reflexivity | apply H2; lia | now rewrite H1 by lia].
Qed.
Lemma flatten_unfold : forall (d : nat) (n m : Z) (v : T K (S (S d))),
  flatten d n m v = gen d 0 (n * m) (fun i => get d (get (S d) v (i / m)) (i mod m)).
Proof. intros. points. unfold flatten, gen, get. now rewrite Z.sub_0_r. Qed.
Lemma split_unfold : forall (d : nat) (n k : Z) (v : T K (S d)),
  split d n k v
  = gen (S d) 0 (cdiv n k)
  (fun o => gen d 0 k (fun i => guard d (o * k + i <? n) (get d v (o * k + i)))).
Proof. intros. points. unfold split, gen, get. rewrite !Z.sub_0_r. ranges; reflexivity. Qed.
Lemma pad_r_unfold : forall (d : nat) (n k : Z) (v : T K (S d)),
  pad_r d n k v = gen d 0 (n + k) (fun i => guard d (i <? n) (get d v i)).
Proof. intros. points. unfold pad_r, gen, get. rewrite Z.sub_0_r. ranges; reflexivity. Qed.
Lemma pad_l_unfold : forall (d : nat) (n k : Z) (v : T K (S d)),
  pad_l d n k v = gen d 0 (n + k) (fun i => guard d (k <=? i) (get d v (i - k))).
Proof. intros. points. unfold pad_l, gen, get. rewrite Z.sub_0_r. ranges; reflexivity. Qed.
Lemma trunc_r_unfold :
  forall (d : nat) (k : Z) (v : T K (S d)), trunc_r d k v = gen d 0 k (fun i => get d v i).
Proof. intros. points. unfold trunc_r, gen, get. now rewrite Z.sub_0_r. Qed.
Lemma trunc_l_unfold :
  forall (d : nat) (n k : Z) (v : T K (S d)), trunc_l d n k v
  = gen d 0 k (fun i => get d v (i + n - k)).
Proof. intros. points. unfold trunc_l, gen, get. now rewrite Z.sub_0_r. Qed.

(** ** Reads *)
Lemma get_transpose : forall (d : nat) (a b : Z) (v : T K (S (S d))),
  get d (get (S d) (transpose d v) a) b = get d (get (S d) v b) a.
Proof. reflexivity. Qed.
Lemma get_flatten : forall (d : nat) (n m a : Z) (v : T K (S (S d))),
  0 <= a < n * m -> get d (flatten d n m v) a = get d (get (S d) v (a / m)) (a mod m).
Proof. intros. unfold get, flatten. now rewrite within_true. Qed.
Lemma to_flatten : forall (d : nat) (n m a : Z) (v : T K (S (S d))),
  0 <= a < n * m -> get d (get (S d) v (a / m)) (a mod m) = get d (flatten d n m v) a.
Proof. intros. symmetry. now apply get_flatten. Qed.
Lemma get_trunc_r : forall (d : nat) (k a : Z) (v : T K (S d)),
  0 <= a < k -> get d (trunc_r d k v) a = get d v a.
Proof. intros. unfold get, trunc_r. now rewrite within_true. Qed.
Lemma get_trunc_l : forall (d : nat) (n k a : Z) (v : T K (S d)),
  0 <= a < k -> get d (trunc_l d n k v) a = get d v (a + n - k).
Proof. intros. unfold get, trunc_l. now rewrite within_true. Qed.
Lemma get_concat_left : forall (d : nat) (n m a : Z) (u v : T K (S d)),
  0 <= a < n -> get d (concat d n m u v) a = get d u a.
Proof. intros. unfold get, concat. rewrite within_true, within_false by lia. apply add_0_r. Qed.
Lemma get_concat_right : forall (d : nat) (n m a : Z) (u v : T K (S d)),
  0 <= n -> n <= a < n + m -> get d (concat d n m u v) a = get d v (a - n).
Proof.
  intros d n m a u v Hn Ha. unfold get, concat. rewrite within_false, within_true by lia.
  apply add_0_l.
Qed.

(** ** Commuting with comprehensions *)
Lemma transpose_gen : forall (d : nat) (a b m n : Z) (f : Z -> Z -> T K d),
  transpose d (gen (S d) a b (fun i => gen d m n (fun j => f i j)))
  = gen (S d) m n (fun j => gen d a b (fun i => f i j)).
Proof. intros. points. unfold transpose, gen. ranges; reflexivity. Qed.
Lemma flatten_gen : forall (d : nat) (n m : Z) (f : Z -> Z -> T K d),
  0 < m ->
  flatten d n m (gen (S d) 0 n (fun i => gen d 0 m (fun j => f i j)))
  = gen d 0 (n * m) (fun q => f (q / m) (q mod m)).
Proof.
  intros d n m f Hm. points. unfold flatten, gen. rewrite !Z.sub_0_r, !Z.add_0_l.
  destruct (within_spec 0 (n * m) i) as [H|H]; simpl; auto.
  rewrite (within_true 0 n (i / m))
    by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]).
  cbn [guard]. now rewrite within_true by now apply Z.mod_pos_bound.
Qed.
Lemma trunc_r_gen : forall (d : nat) (k n : Z) (f : Z -> T K d),
  k <= n -> trunc_r d k (gen d 0 n (fun i => f i)) = gen d 0 k (fun i => f i).
Proof. intros. points. unfold trunc_r, gen. rewrite !Z.sub_0_r. ranges; reflexivity. Qed.
Lemma concat_gen : forall (d : nat) (n m lo mid hi : Z) (f : Z -> T K d),
  n = mid - lo -> m = hi - mid -> lo <= mid -> mid <= hi ->
  concat d n m (gen d lo mid (fun i => f i)) (gen d mid hi (fun i => f i))
  = gen d lo hi (fun i => f i).
Proof.
  intros d n m lo mid hi f -> -> H1 H2. points. unfold concat, gen.
  ranges; rewrite ?add_0_l, ?add_0_r; auto; f_equal; lia.
Qed.
Lemma trunc_r_trunc_r : forall (d : nat) (k n : Z) (v : T K (S d)),
  k <= n -> trunc_r d k (trunc_r d n v) = trunc_r d k v.
Proof. intros. points. unfold trunc_r. ranges; reflexivity. Qed.
Lemma trunc_r_drop : forall (d : nat) (n : Z) (v : T K (S d)), supp d n v -> trunc_r d n v = v.
Proof. intros d n v H. points. unfold trunc_r. ranges. reflexivity. symmetry. now apply H. Qed.
End Reshape.
