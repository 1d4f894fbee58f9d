(** The rewrite rules by which guards, sums, lets and comprehensions move into and out of the
    reshape operators, and by which ranges and guards become reshape operators.

    As in [Rules], every lemma is a rule of the engine's table. *)
From Coq Require Import ZArith Lia Bool List.
From Halidom Require Import Tensor.
Open Scope Z_scope.

Section Distribute.
Context {ext : Extensionality} {K : semiring}.

Ltac points := repeat (let i := fresh "i" in extensionality i).
Ltac ranges :=
  simpl; repeat (match goal with |- context [within ?a ?b ?c] => destruct (within_spec a b c) end;
    simpl); try lia.

(** ** Cases *)
Lemma guard_split : forall (d : nat) (a b : Z) (v : T K d),
  v = add d (guard d (a <? b) v) (guard d (b <=? a) v).
Proof.
  intros d a b v.
  destruct (Z.ltb_spec a b), (Z.leb_spec b a); try lia; simpl; now rewrite ?add_0_l, ?add_0_r.
Qed.
Lemma gen_range : forall (d : nat) (lo hi : Z) (f : Z -> T K d),
  gen d lo hi (fun i => f i) = gen d lo hi (fun i => guard d ((lo <=? i) && (i <? hi)) (f i)).
Proof.
  intros. apply gen_in. intros i Hi.
  now rewrite (proj2 (Z.leb_le lo i)), (proj2 (Z.ltb_lt i hi)) by lia.
Qed.
Lemma sum_guard_range : forall (d : nat) (lo hi : Z) (f : Z -> T K d),
  sum d lo hi (fun i => f i) = sum d lo hi (fun i => guard d ((lo <=? i) && (i <? hi)) (f i)).
Proof.
  intros. apply sum_in. intros i Hi.
  now rewrite (proj2 (Z.leb_le lo i)), (proj2 (Z.ltb_lt i hi)) by lia.
Qed.

(** ** Concatenation *)
Lemma gen_concat : forall (d : nat) (n m lo hi : Z) (f g : Z -> T K (S d)),
  gen (S d) lo hi (fun i => concat d n m (f i) (g i))
  = transpose d (concat (S d) n m (transpose d (gen (S d) lo hi (fun i => f i)))
    (transpose d (gen (S d) lo hi (fun i => g i)))).
Proof.
  intros. points. unfold transpose, concat, gen. cbn [add]. ranges; rewrite ?add_0_l; reflexivity.
Qed.
Lemma transpose_gen_concat : forall (d : nat) (n m lo hi : Z) (f g : Z -> T K (S d)),
  transpose d (gen (S d) lo hi (fun i => concat d n m (f i) (g i)))
  = concat (S d) n m (transpose d (gen (S d) lo hi (fun i => f i)))
  (transpose d (gen (S d) lo hi (fun i => g i))).
Proof.
  intros. points. unfold transpose, concat, gen. cbn [add]. ranges; rewrite ?add_0_l; reflexivity.
Qed.
Lemma sum_concat : forall (d : nat) (n m lo hi : Z) (f g : Z -> T K (S d)),
  sum (S d) lo hi (fun i => concat d n m (f i) (g i))
  = concat d n m (sum (S d) lo hi (fun i => f i)) (sum (S d) lo hi (fun i => g i)).
Proof.
  intros. extensionality j. unfold sum, concat. rewrite !sum_up_at, sum_up_add.
  f_equal; ranges; auto; apply sum_up_zero.
Qed.
Lemma add_concat : forall (d : nat) (n m : Z) (a b u v : T K (S d)),
  add (S d) (concat d n m a b) (concat d n m u v) = concat d n m (add (S d) a u) (add (S d) b v).
Proof.
  intros. points. unfold concat. cbn [add]. rewrite add_swap. f_equal; ranges; auto; apply add_0_l.
Qed.
Lemma guard_concat : forall (d : nat) (p : bool) (n m : Z) (u v : T K (S d)),
  guard (S d) p (concat d n m u v) = concat d n m (guard (S d) p u) (guard (S d) p v).
Proof.
  intros d [] n m u v; simpl; auto. points. unfold concat. cbn [zero].
  now rewrite !guard_zero, add_0_l.
Qed.
Lemma let_concat_left :
  forall (c d : nat) (n m : Z) (u : T K c) (v : T K c -> T K (S d)) (w : T K (S d)),
  concat d n m (letin c (S d) u (fun x => v x)) w = letin c (S d) u (fun x => concat d n m (v x) w).
Proof. reflexivity. Qed.
Lemma let_concat_right :
  forall (c d : nat) (n m : Z) (u : T K c) (v : T K c -> T K (S d)) (w : T K (S d)),
  concat d n m w (letin c (S d) u (fun x => v x)) = letin c (S d) u (fun x => concat d n m w (v x)).
Proof. reflexivity. Qed.
Lemma concat_to_right : forall (d : nat) (n m k p q : Z) (u v w : T K (S d)),
  0 <= n -> 0 <= m -> 0 <= k -> p = n + m -> q = m + k ->
  concat d p k (concat d n m u v) w = concat d n q u (concat d m k v w).
Proof.
  intros d n m k p q u v w Hn Hm Hk -> ->. points. unfold concat.
  ranges; rewrite ?add_0_l, ?add_0_r, ?add_0_l; auto; try (f_equal; lia).
Qed.

(** ** Transposition *)
Lemma guard_transpose : forall (d : nat) (p : bool) (v : T K (S (S d))),
  guard (S (S d)) p (transpose d v) = transpose d (guard (S (S d)) p v).
Proof. now intros d [] v. Qed.
Lemma sum_transpose : forall (d : nat) (lo hi : Z) (f : Z -> T K (S (S d))),
  sum (S (S d)) lo hi (fun i => transpose d (f i))
  = transpose d (sum (S (S d)) lo hi (fun i => f i)).
Proof. intros. points. unfold sum, transpose. now rewrite !sum_up_at. Qed.
Lemma add_transpose : forall (d : nat) (u v : T K (S (S d))),
  add (S (S d)) (transpose d u) (transpose d v) = transpose d (add (S (S d)) u v).
Proof. reflexivity. Qed.

(** ** Blocks *)
Lemma guard_flatten : forall (d : nat) (p : bool) (n m : Z) (v : T K (S (S d))),
  guard (S d) p (flatten d n m v) = flatten d n m (guard (S (S d)) p v).
Proof.
  intros d [] n m v; simpl; auto. points. unfold flatten. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma let_flatten : forall (c d : nat) (n m : Z) (u : T K c) (v : T K c -> T K (S (S d))),
  flatten d n m (letin c (S (S d)) u (fun x => v x))
  = letin c (S d) u (fun x => flatten d n m (v x)).
Proof. reflexivity. Qed.
Lemma sum_flatten : forall (d : nat) (n m lo hi : Z) (f : Z -> T K (S (S d))),
  sum (S d) lo hi (fun i => flatten d n m (f i))
  = flatten d n m (sum (S (S d)) lo hi (fun i => f i)).
Proof.
  intros. points. unfold sum, flatten. rewrite !sum_up_at.
  ranges; [reflexivity | apply sum_up_zero].
Qed.
Lemma add_flatten : forall (d : nat) (n m : Z) (u v : T K (S (S d))),
  add (S d) (flatten d n m u) (flatten d n m v) = flatten d n m (add (S (S d)) u v).
Proof. intros. points. unfold flatten. cbn [add]. ranges; [reflexivity | apply add_0_l]. Qed.
Lemma flatten_rows : forall (d : nat) (n m : Z) (f : Z -> T K (S d)),
  0 < m -> flatten d n m (gen (S d) 0 n (fun i => f i))
  = gen d 0 (n * m) (fun q => get d (f (q / m)) (q mod m)).
Proof.
  intros d n m f Hm. points. unfold flatten, gen, get. rewrite !Z.sub_0_r, !Z.add_0_l.
  destruct (within_spec 0 (n * m) i) as [H|H]; simpl; auto.
  now rewrite (within_true 0 n (i / m))
    by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]).
Qed.
Lemma guard_blocks : forall (d : nat) (p : bool) (n k : Z) (v : T K (S d)),
  guard (S (S d)) p (split d n k v) = split d n k (guard (S d) p v).
Proof.
  intros d [] n k v; simpl; auto. points. unfold split. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma let_blocks : forall (c d : nat) (n k : Z) (u : T K c) (v : T K c -> T K (S d)),
  split d n k (letin c (S d) u (fun x => v x)) = letin c (S (S d)) u (fun x => split d n k (v x)).
Proof. reflexivity. Qed.

(** ** Padding and truncation *)
Lemma guard_trunc_r : forall (d : nat) (p : bool) (k : Z) (v : T K (S d)),
  guard (S d) p (trunc_r d k v) = trunc_r d k (guard (S d) p v).
Proof.
  intros d [] k v; simpl; auto. points. unfold trunc_r. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma guard_trunc_l : forall (d : nat) (p : bool) (n k : Z) (v : T K (S d)),
  guard (S d) p (trunc_l d n k v) = trunc_l d n k (guard (S d) p v).
Proof.
  intros d [] n k v; simpl; auto. points. unfold trunc_l. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma guard_pad_r : forall (d : nat) (p : bool) (n k : Z) (v : T K (S d)),
  guard (S d) p (pad_r d n k v) = pad_r d n k (guard (S d) p v).
Proof.
  intros d [] n k v; simpl; auto. points. unfold pad_r. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma guard_pad_l : forall (d : nat) (p : bool) (n k : Z) (v : T K (S d)),
  guard (S d) p (pad_l d n k v) = pad_l d n k (guard (S d) p v).
Proof.
  intros d [] n k v; simpl; auto. points. unfold pad_l. cbn [zero]. now rewrite guard_zero.
Qed.
Lemma let_trunc_r : forall (c d : nat) (k : Z) (u : T K c) (v : T K c -> T K (S d)),
  trunc_r d k (letin c (S d) u (fun x => v x)) = letin c (S d) u (fun x => trunc_r d k (v x)).
Proof. reflexivity. Qed.
Lemma let_trunc_l : forall (c d : nat) (n k : Z) (u : T K c) (v : T K c -> T K (S d)),
  trunc_l d n k (letin c (S d) u (fun x => v x)) = letin c (S d) u (fun x => trunc_l d n k (v x)).
Proof. reflexivity. Qed.
Lemma let_pad_r : forall (c d : nat) (n k : Z) (u : T K c) (v : T K c -> T K (S d)),
  pad_r d n k (letin c (S d) u (fun x => v x)) = letin c (S d) u (fun x => pad_r d n k (v x)).
Proof. reflexivity. Qed.
Lemma let_pad_l : forall (c d : nat) (n k : Z) (u : T K c) (v : T K c -> T K (S d)),
  pad_l d n k (letin c (S d) u (fun x => v x)) = letin c (S d) u (fun x => pad_l d n k (v x)).
Proof. reflexivity. Qed.
Lemma trunc_l_gen : forall (d : nat) (n k : Z) (f : Z -> T K d),
  k <= n -> trunc_l d n k (gen d 0 n (fun i => f i)) = gen d 0 k (fun i => f (i + n - k)).
Proof. intros. points. unfold trunc_l, gen. rewrite !Z.sub_0_r. ranges; f_equal; lia. Qed.
Lemma gen_pad_r : forall (d : nat) (n k m : Z) (f : Z -> T K d),
  0 <= k -> k = m - n ->
  gen d 0 m (fun i => guard d (i <? n) (f i)) = pad_r d n k (gen d 0 n (fun i => f i)).
Proof.
  intros d n k m f Hk ->. points. unfold pad_r, gen. rewrite !Z.sub_0_r, !Z.add_0_l.
  replace (n + (m - n)) with m by lia.
  destruct (Z.ltb_spec i n); ranges; reflexivity.
Qed.
Lemma gen_pad_l : forall (d : nat) (n k m : Z) (f : Z -> T K d),
  0 <= k -> n = m - k ->
  gen d 0 m (fun i => guard d (k <=? i) (f i)) = pad_l d n k (gen d 0 n (fun i => f (i + k))).
Proof.
  intros d n k m f Hk ->. points. unfold pad_l, gen. rewrite !Z.sub_0_r, !Z.add_0_l.
  replace (m - k + k) with m by lia.
  destruct (Z.leb_spec k i); ranges; f_equal; lia.
Qed.

(** ** Lets *)
Lemma let_gen_bound : forall (c d : nat) (n k : Z) (u : Z -> T K c) (v : T K c -> Z -> T K d),
  gen d 0 n (fun i => letin c d (guard c (i <? k) (u i)) (fun x => v x i))
  = letin (S c) (S d) (gen c 0 k (fun i => u i)) (fun x => gen d 0 n (fun i => v (get c x i) i)).
Proof.
  intros. unfold letin. apply gen_in. intros i Hi. f_equal. unfold get, gen.
  rewrite Z.sub_0_r, Z.add_0_l.
  destruct (Z.ltb_spec i k); ranges; reflexivity.
Qed.
Lemma let_gen_pair :
  forall (b c d : nat) (n : Z) (u : Z -> T K b) (v : Z -> T K c) (w : T K b -> T K c -> Z -> T K d),
  gen d 0 n (fun i => letin b d (u i) (fun x => letin c d (v i) (fun y => w x y i)))
  = letin (S b) (S d) (gen b 0 n (fun i => u i)) (fun x =>
      letin (S c) (S d) (gen c 0 n (fun i => v i))
        (fun y => gen d 0 n (fun i => w (get b x i) (get c y i) i))).
Proof.
  intros. unfold letin. apply gen_in. intros i Hi. unfold get, gen.
  now rewrite !Z.sub_0_r, !Z.add_0_l, !within_true by lia.
Qed.
Lemma let_guard_both : forall (c d : nat) (p : bool) (u : T K c) (v : T K c -> T K d),
  guard d p (letin c d u (fun x => v x)) = letin c d (guard c p u) (fun x => guard d p (v x)).
Proof. now intros c d [] u v. Qed.
Lemma let_add_same : forall (c d : nat) (u : T K c) (v w : T K c -> T K d),
  add d (letin c d u (fun x => v x)) (letin c d u (fun x => w x))
  = letin c d u (fun x => add d (v x) (w x)).
Proof. reflexivity. Qed.
Lemma let_part_add_left : forall (c d : nat) (u v : T K c) (w : T K c -> T K d),
  letin c d (add c u v) (fun x => w x) = letin c d u (fun y => w (add c y v)).
Proof. reflexivity. Qed.
Lemma let_part_add_right : forall (c d : nat) (u v : T K c) (w : T K c -> T K d),
  letin c d (add c u v) (fun x => w x) = letin c d v (fun y => w (add c u y)).
Proof. reflexivity. Qed.
Lemma let_part_concat_left :
  forall (c d : nat) (n m : Z) (u v : T K (S c)) (w : T K (S c) -> T K d),
  letin (S c) d (concat c n m u v) (fun x => w x) = letin (S c) d u (fun y => w (concat c n m y v)).
Proof. reflexivity. Qed.
Lemma let_part_concat_right :
  forall (c d : nat) (n m : Z) (u v : T K (S c)) (w : T K (S c) -> T K d),
  letin (S c) d (concat c n m u v) (fun x => w x) = letin (S c) d v (fun y => w (concat c n m u y)).
Proof. reflexivity. Qed.
Lemma let_part_transpose : forall (c d : nat) (u : T K (S (S c))) (w : T K (S (S c)) -> T K d),
  letin (S (S c)) d (transpose c u) (fun x => w x)
  = letin (S (S c)) d u (fun y => w (transpose c y)).
Proof. reflexivity. Qed.
Lemma let_part_flatten : forall (c d : nat) (n m : Z) (u : T K (S (S c))) (w : T K (S c) -> T K d),
  letin (S c) d (flatten c n m u) (fun x => w x)
  = letin (S (S c)) d u (fun y => w (flatten c n m y)).
Proof. reflexivity. Qed.
Lemma let_part_trunc_r : forall (c d : nat) (k : Z) (u : T K (S c)) (w : T K (S c) -> T K d),
  letin (S c) d (trunc_r c k u) (fun x => w x) = letin (S c) d u (fun y => w (trunc_r c k y)).
Proof. reflexivity. Qed.
Lemma let_part_trunc_l : forall (c d : nat) (n k : Z) (u : T K (S c)) (w : T K (S c) -> T K d),
  letin (S c) d (trunc_l c n k u) (fun x => w x) = letin (S c) d u (fun y => w (trunc_l c n k y)).
Proof. reflexivity. Qed.
Lemma let_part_guard : forall (c d : nat) (p : bool) (u : T K c) (w : T K c -> T K d),
  letin c d (guard c p u) (fun x => w x) = letin c d u (fun y => w (guard c p y)).
Proof. reflexivity. Qed.
End Distribute.
