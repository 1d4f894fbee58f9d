(** The rewrite rules.

    Every lemma of this file is a rule of the engine's table, under the same name and with the same
    statement; a test compares the two. Where a rule needs a tensor to be zero outside of [n], it
    says [supp]. *)
From Coq Require Import ZArith Lia Bool List.
From Halidom Require Import Tensor.
Open Scope Z_scope.

Section Rules.
Context {ext : Extensionality} {K : semiring}.

Ltac points := repeat (let i := fresh "i" in extensionality i).
Ltac ranges :=
  simpl; repeat (match goal with |- context [within ?a ?b ?c] => destruct (within_spec a b c) end;
    simpl); try lia.

(** ** Reads *)
Lemma get_gen : forall (d : nat) (lo hi a : Z) (f : Z -> T K d),
  0 <= a < hi - lo -> get d (gen d lo hi (fun i => f i)) a = f (lo + a).
Proof. intros d lo hi a f H. unfold get, gen. now rewrite within_true. Qed.
Lemma get_gen0 : forall (d : nat) (n a : Z) (f : Z -> T K d),
  0 <= a < n -> get d (gen d 0 n (fun i => f i)) a = f a.
Proof. intros d n a f H. now rewrite get_gen by lia. Qed.
Lemma get_gen_guard : forall (d : nat) (n a : Z) (f : Z -> T K d),
  get d (gen d 0 n (fun i => f i)) a = guard d ((0 <=? a) && (a <? n)) (f a).
Proof. intros d n a f. unfold get, gen. now rewrite Z.sub_0_r. Qed.
Lemma get_sum : forall (d : nat) (lo hi a : Z) (f : Z -> T K (S d)),
  get d (sum (S d) lo hi (fun i => f i)) a = sum d lo hi (fun i => get d (f i) a).
Proof. intros d lo hi a f. apply sum_up_at. Qed.
Lemma get_add : forall (d : nat) (a : Z) (u v : T K (S d)),
  get d (add (S d) u v) a = add d (get d u a) (get d v a).
Proof. reflexivity. Qed.
Lemma get_guard : forall (d : nat) (p : bool) (a : Z) (v : T K (S d)),
  get d (guard (S d) p v) a = guard d p (get d v a).
Proof. now intros d [] a v. Qed.
Lemma get_let : forall (c d : nat) (a : Z) (u : T K c) (v : T K c -> T K (S d)),
  get d (letin c (S d) u (fun x => v x)) a = letin c d u (fun x => get d (v x) a).
Proof. reflexivity. Qed.
Lemma get_box : forall (d : nat) (n a : Z) (v : T K (S d)),
  supp d n v -> get d v a = guard d ((0 <=? a) && (a <? n)) (get d v a).
Proof.
  intros d n a v H. unfold get. fold (within 0 n a). destruct (within_spec 0 n a); simpl; auto.
Qed.

Lemma get_change : forall (d : nat) (a b : Z) (v : T K (S d)),
  a = b -> get d v a = get d v b.
Proof. now intros d a b v ->. Qed.

(** ** Comprehensions *)
Lemma gen_eta : forall (d : nat) (n : Z) (v : T K (S d)),
  supp d n v -> v = gen d 0 n (fun i => get d v i).
Proof.
  intros d n v H. points. unfold gen, get. rewrite Z.sub_0_r. ranges. reflexivity. now apply H.
Qed.
Lemma gen_shift : forall (d : nat) (lo hi n : Z) (f : Z -> T K d),
  n = hi - lo -> gen d lo hi (fun i => f i) = gen d 0 n (fun i => f (lo + i)).
Proof. intros d lo hi n f ->. points. unfold gen. now rewrite Z.sub_0_r. Qed.
Lemma gen_bounds : forall (d : nat) (n m : Z) (f : Z -> T K d),
  n = m -> gen d 0 n (fun i => f i) = gen d 0 m (fun i => f i).
Proof. now intros d n m f ->. Qed.
Lemma add_gen : forall (d : nat) (lo hi : Z) (f g : Z -> T K d),
  add (S d) (gen d lo hi (fun i => f i)) (gen d lo hi (fun i => g i))
  = gen d lo hi (fun i => add d (f i) (g i)).
Proof. intros d lo hi f g. points. simpl. unfold gen. ranges. reflexivity. apply add_0_l. Qed.
Lemma add_eta : forall (d : nat) (n : Z) (u v : T K (S d)),
  supp d n u -> supp d n v -> add (S d) u v = gen d 0 n (fun i => add d (get d u i) (get d v i)).
Proof.
  intros d n u v Hu Hv. points. simpl. unfold gen, get. rewrite Z.sub_0_r. ranges. reflexivity.
  rewrite Hu, Hv by assumption. apply add_0_l.
Qed.
Lemma gen_gen : forall (d : nat) (a b m n : Z) (f : Z -> Z -> T K d),
  gen (S d) a b (fun i => gen d m n (fun j => f i j))
  = transpose d (gen (S d) m n (fun j => gen d a b (fun i => f i j))).
Proof. intros. points. unfold transpose, gen. ranges; reflexivity. Qed.
Lemma gen_split : forall (d : nat) (lo mid hi p q : Z) (f : Z -> T K d),
  lo <= mid -> mid <= hi -> p = mid - lo -> q = hi - mid ->
  gen d lo hi (fun i => f i)
  = concat d p q (gen d lo mid (fun i => f i)) (gen d mid hi (fun i => f i)).
Proof.
  intros d lo mid hi p q f H1 H2 -> ->. points. unfold concat, gen.
  ranges; rewrite ?add_0_l, ?add_0_r; auto; f_equal; lia.
Qed.

(** ** Sums *)
Lemma sum_gen : forall (d : nat) (a b m n : Z) (f : Z -> Z -> T K d),
  sum (S d) a b (fun i => gen d m n (fun j => f i j))
  = gen d m n (fun j => sum d a b (fun i => f i j)).
Proof.
  intros. extensionality k. unfold sum, gen. rewrite sum_up_at. ranges. reflexivity.
  apply sum_up_zero.
Qed.
Lemma gen_sum : forall (d : nat) (a b m n : Z) (f : Z -> Z -> T K d),
  gen d a b (fun i => sum d m n (fun j => f i j))
  = sum (S d) m n (fun j => gen d a b (fun i => f i j)).
Proof. intros. symmetry. exact (sum_gen d m n a b (fun j i => f i j)). Qed.
Lemma sum_sum : forall (d : nat) (a b m n : Z) (f : Z -> Z -> T K d),
  sum d a b (fun i => sum d m n (fun j => f i j)) = sum d m n (fun j => sum d a b (fun i => f i j)).
Proof. intros. apply sum_up_swap. Qed.
Lemma sum_add : forall (d : nat) (lo hi : Z) (f g : Z -> T K d),
  sum d lo hi (fun i => add d (f i) (g i))
  = add d (sum d lo hi (fun i => f i)) (sum d lo hi (fun i => g i)).
Proof. intros. apply sum_up_add. Qed.
Lemma sum_delta : forall (d : nat) (lo hi a : Z) (f : Z -> T K d),
  sum d lo hi (fun i => guard d (i =? a) (f i)) = guard d ((lo <=? a) && (a <? hi)) (f a).
Proof.
  intros. unfold sum. rewrite sum_up_delta. f_equal. fold (within lo hi a).
  destruct (within_spec lo (lo + Z.of_nat (Z.to_nat (hi - lo))) a), (within_spec lo hi a); auto;
    lia.
Qed.
Lemma sum_delta_intro : forall (d : nat) (lo hi a : Z) (f : Z -> T K d),
  guard d ((lo <=? a) && (a <? hi)) (f a) = sum d lo hi (fun i => guard d (i =? a) (f i)).
Proof. intros. symmetry. apply sum_delta. Qed.
Lemma sum_mul_left : forall (lo hi : Z) (c : T K 0) (f : Z -> T K 0),
  mul c (sum 0 lo hi (fun i => f i)) = sum 0 lo hi (fun i => mul c (f i)).
Proof. intros lo hi c f. exact (sum_up_hom 0 0 (mul c) lo f _ (mul_0_r c) (kmul_add K c)). Qed.
Lemma sum_mul_right : forall (lo hi : Z) (c : T K 0) (f : Z -> T K 0),
  mul (sum 0 lo hi (fun i => f i)) c = sum 0 lo hi (fun i => mul (f i) c).
Proof.
  intros lo hi c f. refine (sum_up_hom 0 0 (fun x => mul x c) lo f _ (kmul_0 K c) _).
  intros a b. unfold mul. cbn [add]. now rewrite kmul_comm, kmul_add, !(kmul_comm K c).
Qed.
Lemma sum_factor_left : forall (lo hi : Z) (c : T K 0) (f : Z -> T K 0),
  sum 0 lo hi (fun i => mul c (f i)) = mul c (sum 0 lo hi (fun i => f i)).
Proof. intros. symmetry. apply sum_mul_left. Qed.
Lemma sum_factor_right : forall (lo hi : Z) (c : T K 0) (f : Z -> T K 0),
  sum 0 lo hi (fun i => mul (f i) c) = mul (sum 0 lo hi (fun i => f i)) c.
Proof. intros. symmetry. apply sum_mul_right. Qed.
Lemma sum_range : forall (d : nat) (lo mid hi : Z) (f : Z -> T K d),
  lo <= mid -> mid <= hi ->
  sum d lo hi (fun i => f i) = add d (sum d lo mid (fun i => f i)) (sum d mid hi (fun i => f i)).
Proof.
  intros d lo mid hi f H1 H2. unfold sum.
  replace (Z.to_nat (hi - lo)) with (Z.to_nat (mid - lo) + Z.to_nat (hi - mid))%nat by lia.
  rewrite sum_up_app. do 2 f_equal. lia.
Qed.
Lemma sum_shift : forall (d : nat) (lo hi n : Z) (f : Z -> T K d),
  n = hi - lo -> sum d lo hi (fun i => f i) = sum d 0 n (fun i => f (lo + i)).
Proof. intros d lo hi n f ->. unfold sum. now rewrite sum_up_shift, Z.sub_0_r. Qed.
Lemma sum_one : forall (d : nat) (lo hi : Z) (f : Z -> T K d),
  hi = lo + 1 -> sum d lo hi (fun i => f i) = f lo.
Proof.
  intros d lo hi f ->. unfold sum. replace (Z.to_nat (lo + 1 - lo)) with 1%nat by lia. simpl.
  now rewrite add_0_l, Z.add_0_r.
Qed.
Lemma sum_fuse : forall (d : nat) (n m : Z) (f : Z -> Z -> T K d),
  0 <= n -> 0 < m ->
  sum d 0 n (fun i => sum d 0 m (fun j => f i j)) = sum d 0 (n * m) (fun q => f (q / m) (q mod m)).
Proof.
  intros d n m f Hn Hm. unfold sum. rewrite !Z.sub_0_r, Z2Nat.inj_mul, sum_up_block by lia.
  rewrite Z2Nat.id by lia.
  apply sum_up_ext. intros i Hi. apply sum_up_ext. intros j Hj. f_equal.
  - rewrite Z.div_add_l, Z.div_small by lia. lia.
  - rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia. reflexivity.
Qed.
Lemma sum_block : forall (d : nat) (n k : Z) (f : Z -> T K d),
  0 < k ->
  sum d 0 n (fun i => f i)
  = sum d 0 (cdiv n k) (fun o => sum d 0 k (fun i => guard d (o * k + i <? n) (f (o * k + i)))).
Proof.
  intros d n k f Hk. unfold sum. rewrite !Z.sub_0_r.
  pose proof (Z.div_mod (n + k - 1) k ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound (n + k - 1) k Hk) as M. fold (cdiv n k) in D.
  transitivity (sum_up d 0 (fun i => guard d (i <? n) (f i)) (Z.to_nat (cdiv n k) * Z.to_nat k)).
  - destruct (Z.le_gt_cases n 0) as [L|L].
    { replace (Z.to_nat n) with 0%nat by lia. simpl. symmetry.
      transitivity (sum_up d 0 (fun _ => zero (K:=K) d) (Z.to_nat (cdiv n k) * Z.to_nat k));
        [|apply sum_up_zero].
      apply sum_up_ext. intros i Hi. now rewrite (proj2 (Z.ltb_ge i n)) by lia. }
    assert (G : 0 <= cdiv n k) by nia.
    replace (Z.to_nat (cdiv n k) * Z.to_nat k)%nat
      with (Z.to_nat n + Z.to_nat (cdiv n k * k - n))%nat
      by (rewrite <- Z2Nat.inj_mul, <- Z2Nat.inj_add by nia; f_equal; lia).
    rewrite sum_up_app.
    assert (Z0 : sum_up d (0 + Z.of_nat (Z.to_nat n)) (fun i => guard d (i <? n) (f i))
        (Z.to_nat (cdiv n k * k - n)) = zero d).
    { rewrite <- (sum_up_zero d (0 + Z.of_nat (Z.to_nat n)) (Z.to_nat (cdiv n k * k - n))).
      apply sum_up_ext.
      intros i Hi. now rewrite (proj2 (Z.ltb_ge i n)) by lia. }
    rewrite Z0, add_0_r. apply sum_up_ext. intros i Hi. now rewrite (proj2 (Z.ltb_lt i n)) by lia.
  - rewrite sum_up_block, Z2Nat.id by lia. reflexivity.
Qed.

(** ** Guards *)
Lemma guard_true : forall (d : nat) (p : bool) (v : T K d), p = true -> guard d p v = v.
Proof. now intros d p v ->. Qed.
Lemma guard_false : forall (p : bool) (v : T K 0), p = false -> guard 0 p v = zero 0.
Proof. now intros p v ->. Qed.
Lemma guard_change : forall (d : nat) (p q : bool) (v : T K d), p = q -> guard d p v = guard d q v.
Proof. now intros d p q v ->. Qed.
Lemma guard_merge :
  forall (d : nat) (p q : bool) (v : T K d), guard d p (guard d q v) = guard d (p && q) v.
Proof. now intros d [] [] v. Qed.
Lemma guard_unmerge :
  forall (d : nat) (p q : bool) (v : T K d), guard d (p && q) v = guard d p (guard d q v).
Proof. now intros d [] [] v. Qed.
Lemma guard_commute :
  forall (d : nat) (p q : bool) (v : T K d), guard d p (guard d q v) = guard d q (guard d p v).
Proof. now intros d [] [] v. Qed.
Lemma guard_repeat : forall (d : nat) (p : bool) (v : T K d), guard d p v = guard d p (guard d p v).
Proof. now intros d [] v. Qed.
Lemma guard_add :
  forall (d : nat) (p : bool) (u v : T K d), guard d p (add d u v)
  = add d (guard d p u) (guard d p v).
Proof. intros d [] u v; simpl; auto. now rewrite add_0_l. Qed.
Lemma guard_unadd :
  forall (d : nat) (p : bool) (u v : T K d), add d (guard d p u) (guard d p v)
  = guard d p (add d u v).
Proof. intros. symmetry. apply guard_add. Qed.
Lemma guard_gen : forall (d : nat) (p : bool) (lo hi : Z) (f : Z -> T K d),
  guard (S d) p (gen d lo hi (fun i => f i)) = gen d lo hi (fun i => guard d p (f i)).
Proof. intros d [] lo hi f; simpl; auto. points. unfold gen. ranges; reflexivity. Qed.
Lemma gen_guard : forall (d : nat) (p : bool) (lo hi : Z) (f : Z -> T K d),
  gen d lo hi (fun i => guard d p (f i)) = guard (S d) p (gen d lo hi (fun i => f i)).
Proof. intros. symmetry. apply guard_gen. Qed.
Lemma guard_sum : forall (d : nat) (p : bool) (lo hi : Z) (f : Z -> T K d),
  guard d p (sum d lo hi (fun i => f i)) = sum d lo hi (fun i => guard d p (f i)).
Proof. intros d [] lo hi f; simpl; auto. symmetry. apply sum_up_zero. Qed.
Lemma sum_guard : forall (d : nat) (p : bool) (lo hi : Z) (f : Z -> T K d),
  sum d lo hi (fun i => guard d p (f i)) = guard d p (sum d lo hi (fun i => f i)).
Proof. intros. symmetry. apply guard_sum. Qed.
Lemma guard_let : forall (c d : nat) (p : bool) (u : T K c) (v : T K c -> T K d),
  guard d p (letin c d u (fun x => v x)) = letin c d u (fun x => guard d p (v x)).
Proof. reflexivity. Qed.
Lemma guard_get : forall (d : nat) (p : bool) (a : Z) (v : T K (S d)),
  guard d p (get d v a) = get d (guard (S d) p v) a.
Proof. now intros d [] a v. Qed.
Lemma guard_mul_left : forall (p : bool) (u v : T K 0), mul (guard 0 p u) v = guard 0 p (mul u v).
Proof. intros [] u v; simpl; auto. apply kmul_0. Qed.
Lemma guard_mul_right : forall (p : bool) (u v : T K 0), mul u (guard 0 p v) = guard 0 p (mul u v).
Proof. intros [] u v; simpl; auto. apply mul_0_r. Qed.
Lemma mul_guard_left : forall (p : bool) (u v : T K 0), guard 0 p (mul u v) = mul (guard 0 p u) v.
Proof. intros. symmetry. apply guard_mul_left. Qed.
Lemma mul_guard_right : forall (p : bool) (u v : T K 0), guard 0 p (mul u v) = mul u (guard 0 p v).
Proof. intros. symmetry. apply guard_mul_right. Qed.

(** ** Lets *)
Lemma let_inline :
  forall (c d : nat) (u : T K c) (v : T K c -> T K d), letin c d u (fun x => v x) = v u.
Proof. reflexivity. Qed.
Lemma let_gen : forall (c d : nat) (lo hi : Z) (u : Z -> T K c) (v : T K c -> Z -> T K d),
  gen d lo hi (fun i => letin c d (u i) (fun x => v x i))
  = letin (S c) (S d) (gen c lo hi (fun i => u i))
  (fun x => gen d lo hi (fun i => v (get c x (i - lo)) i)).
Proof.
  intros. unfold letin. apply gen_in. intros i Hi. rewrite get_gen by lia. do 2 f_equal. lia.
Qed.
Lemma let_gen0 : forall (c d : nat) (n : Z) (u : Z -> T K c) (v : T K c -> Z -> T K d),
  gen d 0 n (fun i => letin c d (u i) (fun x => v x i))
  = letin (S c) (S d) (gen c 0 n (fun i => u i)) (fun x => gen d 0 n (fun i => v (get c x i) i)).
Proof. intros. unfold letin. apply gen_in. intros i Hi. now rewrite get_gen0. Qed.
Lemma let_gen_same : forall (c d : nat) (lo hi : Z) (u : T K c) (v : T K c -> Z -> T K d),
  gen d lo hi (fun i => letin c d u (fun x => v x i))
  = letin c (S d) u (fun x => gen d lo hi (fun i => v x i)).
Proof. reflexivity. Qed.
Lemma let_sum : forall (c d : nat) (lo hi : Z) (u : Z -> T K c) (v : T K c -> Z -> T K d),
  sum d lo hi (fun i => letin c d (u i) (fun x => v x i))
  = letin (S c) d (gen c lo hi (fun i => u i))
  (fun x => sum d lo hi (fun i => v (get c x (i - lo)) i)).
Proof.
  intros. unfold letin. apply sum_in. intros i Hi. rewrite get_gen by lia. do 2 f_equal. lia.
Qed.
Lemma let_sum0 : forall (c d : nat) (n : Z) (u : Z -> T K c) (v : T K c -> Z -> T K d),
  sum d 0 n (fun i => letin c d (u i) (fun x => v x i))
  = letin (S c) d (gen c 0 n (fun i => u i)) (fun x => sum d 0 n (fun i => v (get c x i) i)).
Proof. intros. unfold letin. apply sum_in. intros i Hi. now rewrite get_gen0. Qed.
Lemma let_sum_same : forall (c d : nat) (lo hi : Z) (u : T K c) (v : T K c -> Z -> T K d),
  sum d lo hi (fun i => letin c d u (fun x => v x i))
  = letin c d u (fun x => sum d lo hi (fun i => v x i)).
Proof. reflexivity. Qed.
Lemma let_guard : forall (c d : nat) (p : bool) (u : T K c) (v : T K c -> T K d),
  letin c d u (fun x => guard d p (v x)) = guard d p (letin c d u (fun x => v x)).
Proof. reflexivity. Qed.
Lemma let_add_left : forall (c d : nat) (u : T K c) (v : T K c -> T K d) (w : T K d),
  add d (letin c d u (fun x => v x)) w = letin c d u (fun x => add d (v x) w).
Proof. reflexivity. Qed.
Lemma let_add_right : forall (c d : nat) (u : T K c) (v : T K c -> T K d) (w : T K d),
  add d w (letin c d u (fun x => v x)) = letin c d u (fun x => add d w (v x)).
Proof. reflexivity. Qed.
Lemma let_mul_left : forall (c : nat) (u : T K c) (v : T K c -> T K 0) (w : T K 0),
  mul (letin c 0 u (fun x => v x)) w = letin c 0 u (fun x => mul (v x) w).
Proof. reflexivity. Qed.
Lemma let_mul_right : forall (c : nat) (u : T K c) (v : T K c -> T K 0) (w : T K 0),
  mul w (letin c 0 u (fun x => v x)) = letin c 0 u (fun x => mul w (v x)).
Proof. reflexivity. Qed.
Lemma let_transpose : forall (c d : nat) (u : T K c) (v : T K c -> T K (S (S d))),
  transpose d (letin c (S (S d)) u (fun x => v x))
  = letin c (S (S d)) u (fun x => transpose d (v x)).
Proof. reflexivity. Qed.
Lemma let_let : forall (b c d : nat) (u : T K b) (v : T K b -> T K c) (w : T K c -> T K d),
  letin c d (letin b c u (fun x => v x)) (fun y => w y)
  = letin b d u (fun x => letin c d (v x) (fun y => w y)).
Proof. reflexivity. Qed.
Lemma let_flip : forall (b c d : nat) (u : T K b) (v : T K c) (w : T K b -> T K c -> T K d),
  letin b d u (fun x => letin c d v (fun y => w x y))
  = letin c d v (fun y => letin b d u (fun x => w x y)).
Proof. reflexivity. Qed.
Lemma let_merge : forall (c d : nat) (u : T K c) (w : T K c -> T K c -> T K d),
  letin c d u (fun x => letin c d u (fun y => w x y)) = letin c d u (fun x => w x x).
Proof. reflexivity. Qed.
Lemma let_drop : forall (c d : nat) (u : T K c) (w : T K d), letin c d u (fun x => w) = w.
Proof. reflexivity. Qed.

(** ** Arithmetic of scalars and sums of tensors *)
Lemma add_swap_sides : forall (d : nat) (u v : T K d), add d u v = add d v u.
Proof. intros. apply add_comm. Qed.
Lemma add_to_right : forall (d : nat) (u v w : T K d), add d (add d u v) w = add d u (add d v w).
Proof. intros. apply add_assoc. Qed.
Lemma add_to_left : forall (d : nat) (u v w : T K d), add d u (add d v w) = add d (add d u v) w.
Proof. intros. symmetry. apply add_assoc. Qed.
Lemma add_zero : forall (v : T K 0), add 0 v (zero 0) = v.
Proof. intros. apply add_0_r. Qed.
Lemma zero_add : forall (v : T K 0), add 0 (zero 0) v = v.
Proof. intros. apply (add_0_l 0). Qed.
Lemma mul_zero : forall (v : T K 0), mul v (zero 0) = zero 0.
Proof. intros. apply mul_0_r. Qed.
Lemma zero_mul : forall (v : T K 0), mul (zero 0) v = zero 0.
Proof. intros. apply kmul_0. Qed.
Lemma mul_swap_sides : forall (u v : T K 0), mul u v = mul v u.
Proof. intros. apply kmul_comm. Qed.
Lemma mul_to_right : forall (u v w : T K 0), mul (mul u v) w = mul u (mul v w).
Proof. intros. apply kmul_assoc. Qed.
Lemma mul_to_left : forall (u v w : T K 0), mul u (mul v w) = mul (mul u v) w.
Proof. intros. symmetry. apply kmul_assoc. Qed.
Lemma mul_one : forall (v : T K 0), mul one v = v.
Proof. intros. apply kmul_1. Qed.
Lemma mul_distribute : forall (u v w : T K 0), mul u (add 0 v w) = add 0 (mul u v) (mul u w).
Proof. intros. apply kmul_add. Qed.
Lemma mul_factor : forall (u v w : T K 0), add 0 (mul u v) (mul u w) = mul u (add 0 v w).
Proof. intros. symmetry. apply kmul_add. Qed.
End Rules.
