(** Tensors as zero-extended functions.

    A tensor of rank [d] is a function from [d] integers to a semiring [K]; it is zero wherever it
    has no elements. A guard that fails, an empty sum and a read out of range are therefore plain
    zeros, and most laws need no premise about shapes. *)
From Coq Require Import ZArith Lia Bool List.
Open Scope Z_scope.

(** Functions that agree everywhere are equal. Nothing in the library assumes it: it is a premise of
    every lemma that needs it, and in the end of a certificate's theorem. *)
Class Extensionality : Prop :=
  extensional : forall (A B : Type) (f g : A -> B), (forall x, f x = g x) -> f = g.
Tactic Notation "extensionality" ident(x) :=
  match goal with |- ?f = ?g => apply (extensional _ _ f g) end; intro x.

(** A commutative semiring; [prim] interprets everything else a scalar can be made with (literals,
    quotients, functions), about which no theorem assumes anything. *)
Record semiring := Semiring {
  carrier :> Type;
  k0 : carrier;
  k1 : carrier;
  kadd : carrier -> carrier -> carrier;
  kmul : carrier -> carrier -> carrier;
  prim : nat -> list carrier -> carrier;
  kadd_0 : forall a, kadd k0 a = a;
  kadd_comm : forall a b, kadd a b = kadd b a;
  kadd_assoc : forall a b c, kadd (kadd a b) c = kadd a (kadd b c);
  kmul_0 : forall a, kmul k0 a = k0;
  kmul_1 : forall a, kmul k1 a = a;
  kmul_comm : forall a b, kmul a b = kmul b a;
  kmul_assoc : forall a b c, kmul (kmul a b) c = kmul a (kmul b c);
  kmul_add : forall a b c, kmul a (kadd b c) = kadd (kmul a b) (kmul a c) }.

(** ** Ranges *)
Definition within (lo hi i : Z) : bool := (lo <=? i) && (i <? hi).

Lemma within_spec lo hi i : BoolSpec (lo <= i < hi) (i < lo \/ hi <= i) (within lo hi i).
Proof. unfold within. destruct (Z.leb_spec lo i), (Z.ltb_spec i hi); constructor; lia. Qed.
Lemma within_true lo hi i : lo <= i < hi -> within lo hi i = true.
Proof. intro H. destruct (within_spec lo hi i); auto; lia. Qed.
Lemma within_false lo hi i : i < lo \/ hi <= i -> within lo hi i = false.
Proof. intro H. destruct (within_spec lo hi i); auto; lia. Qed.
Lemma within_inv lo hi i : within lo hi i = true -> lo <= i < hi.
Proof. destruct (within_spec lo hi i); [auto | discriminate]. Qed.

(** Rounding up. *)
Definition cdiv (n k : Z) : Z := (n + k - 1) / k.

(** ** Tensors and the constructs of the core language *)
Fixpoint T (K : semiring) (d : nat) : Type := match d with O => carrier K | S d => Z -> T K d end.

Section Constructs.
Context {ext : Extensionality} {K : semiring}.

Fixpoint zero (d : nat) : T K d := match d with O => k0 K | S d => fun _ => zero d end.
Definition one : T K 0 := k1 K.
Fixpoint add (d : nat) : T K d -> T K d -> T K d :=
  match d with O => kadd K | S d => fun a b i => add d (a i) (b i) end.
Definition mul (a b : T K 0) : T K 0 := kmul K a b.
Definition call (f : nat) (args : list (T K 0)) : T K 0 := prim K f args.
Definition guard (d : nat) (p : bool) (e : T K d) : T K d := if p then e else zero d.
Definition gen (d : nat) (lo hi : Z) (f : Z -> T K d) : T K (S d) :=
  fun i => guard d (within 0 (hi - lo) i) (f (lo + i)).
Fixpoint sum_up (d : nat) (lo : Z) (f : Z -> T K d) (n : nat) : T K d :=
  match n with O => zero d | S n => add d (sum_up d lo f n) (f (lo + Z.of_nat n)) end.
Definition sum (d : nat) (lo hi : Z) (f : Z -> T K d) : T K d := sum_up d lo f (Z.to_nat (hi - lo)).
Definition get (d : nat) (v : T K (S d)) (i : Z) : T K d := v i.
Definition letin (d e : nat) (x : T K d) (f : T K d -> T K e) : T K e := f x.

(** ** Reshape operators: [n], [m] are the sizes of what is reshaped, [k] the operator's own. *)
Definition concat (d : nat) (n m : Z) (a b : T K (S d)) : T K (S d) :=
  fun i => add d (guard d (within 0 n i) (a i)) (guard d (within n (n + m) i) (b (i - n))).
Definition transpose (d : nat) (v : T K (S (S d))) : T K (S (S d)) := fun i j => v j i.
Definition flatten (d : nat) (n m : Z) (v : T K (S (S d))) : T K (S d) :=
  fun i => guard d (within 0 (n * m) i) (v (i / m) (i mod m)).
Definition split (d : nat) (n k : Z) (v : T K (S d)) : T K (S (S d)) :=
  fun o i => guard d (within 0 (cdiv n k) o && within 0 k i && (o * k + i <? n)) (v (o * k + i)).
Definition pad_r (d : nat) (n k : Z) (v : T K (S d)) : T K (S d) :=
  fun i => guard d (within 0 (n + k) i && (i <? n)) (v i).
Definition pad_l (d : nat) (n k : Z) (v : T K (S d)) : T K (S d) :=
  fun i => guard d (within 0 (n + k) i && (k <=? i)) (v (i - k)).
Definition trunc_r (d : nat) (k : Z) (v : T K (S d)) : T K (S d) :=
  fun i => guard d (within 0 k i) (v i).
Definition trunc_l (d : nat) (n k : Z) (v : T K (S d)) : T K (S d) :=
  fun i => guard d (within 0 k i) (v (i + n - k)).

(** ** Where a tensor may be non-zero *)
Definition supp (d : nat) (n : Z) (v : T K (S d)) : Prop :=
  forall i, i < 0 \/ n <= i -> v i = zero d.
Fixpoint box (d : nat) (sh : list Z) : T K d -> Prop :=
  match d, sh with
  | S d, (n :: sh)%list => fun v => supp d n v /\ forall i, box d sh (v i)
  | _, _ => fun _ => True
  end.

(** ** Addition at any rank *)
Lemma add_0_l d a : add d (zero d) a = a.
Proof. induction d as [|d IH]; [apply kadd_0 | extensionality i; apply IH]. Qed.
Lemma add_comm d a b : add d a b = add d b a.
Proof. induction d as [|d IH]; [apply kadd_comm | extensionality i; apply IH]. Qed.
Lemma add_assoc d a b c : add d (add d a b) c = add d a (add d b c).
Proof. induction d as [|d IH]; [apply kadd_assoc | extensionality i; apply IH]. Qed.
Lemma add_0_r d a : add d a (zero d) = a.
Proof. now rewrite add_comm, add_0_l. Qed.
Lemma add_swap d a b a' b' : add d (add d a b) (add d a' b') = add d (add d a a') (add d b b').
Proof. now rewrite !add_assoc, <- (add_assoc d b a' b'), (add_comm d b a'), add_assoc. Qed.
Lemma mul_0_r (a : T K 0) : mul a (zero 0) = zero 0.
Proof. unfold mul. rewrite kmul_comm. apply kmul_0. Qed.
Lemma guard_zero d p : guard d p (zero d) = zero d.
Proof. now destruct p. Qed.

(** ** Sums *)
Lemma sum_up_ext d lo n :
  forall f g, (forall i, lo <= i < lo + Z.of_nat n -> f i = g i) ->
  sum_up d lo f n = sum_up d lo g n.
Proof.
  induction n as [|n IH]; intros f g H; simpl; auto.
  rewrite (IH f g), (H (lo + Z.of_nat n)) by (intros; try apply H; lia). reflexivity.
Qed.
Lemma sum_up_zero d lo n : sum_up d lo (fun _ => zero d) n = zero d.
Proof. induction n as [|n IH]; simpl; auto. now rewrite IH, add_0_l. Qed.
Lemma sum_up_add d lo f g n :
  sum_up d lo (fun i => add d (f i) (g i)) n = add d (sum_up d lo f n) (sum_up d lo g n).
Proof. induction n as [|n IH]; simpl. now rewrite add_0_l. now rewrite IH, add_swap. Qed.
Lemma sum_up_app d lo f n m :
  sum_up d lo f (n + m) = add d (sum_up d lo f n) (sum_up d (lo + Z.of_nat n) f m).
Proof.
  induction m as [|m IH]. now rewrite Nat.add_0_r, add_0_r.
  rewrite Nat.add_succ_r. simpl. rewrite IH, add_assoc. do 3 f_equal. lia.
Qed.
Lemma sum_up_shift d lo f n : sum_up d lo f n = sum_up d 0 (fun i => f (lo + i)) n.
Proof. induction n as [|n IH]; simpl; auto. now rewrite IH. Qed.
Lemma sum_up_at d lo f n i : sum_up (S d) lo f n i = sum_up d lo (fun k => f k i) n.
Proof. induction n as [|n IH]; simpl; auto. now rewrite IH. Qed.
Lemma sum_up_swap d a b f n m :
  sum_up d a (fun i => sum_up d b (fun j => f i j) m) n
  = sum_up d b (fun j => sum_up d a (fun i => f i j) n) m.
Proof.
  induction n as [|n IH]; simpl. now rewrite sum_up_zero. now rewrite IH, <- sum_up_add.
Qed.
Lemma sum_up_delta d lo a f n :
  sum_up d lo (fun i => guard d (i =? a) (f i)) n = guard d (within lo (lo + Z.of_nat n) a) (f a).
Proof.
  induction n as [|n IH]; cbn [sum_up].
  - now rewrite within_false by lia.
  - rewrite IH. destruct (Z.eqb_spec (lo + Z.of_nat n) a) as [<-|N]; cbn [guard].
    + rewrite within_false, within_true by lia. apply add_0_l.
    + rewrite add_0_r. f_equal.
      destruct (within_spec lo (lo + Z.of_nat n) a), (within_spec lo (lo + Z.of_nat (S n)) a); auto;
        lia.
Qed.
Lemma sum_up_hom d e (h : T K d -> T K e) lo f n :
  h (zero d) = zero e -> (forall a b, h (add d a b) = add e (h a) (h b)) ->
  h (sum_up d lo f n) = sum_up e lo (fun i => h (f i)) n.
Proof. intros Z0 A. induction n as [|n IH]; simpl; auto. now rewrite A, IH. Qed.
Lemma sum_up_block d f n k :
  sum_up d 0 f (n * k) = sum_up d 0 (fun o => sum_up d 0 (fun i => f (o * Z.of_nat k + i)) k) n.
Proof.
  induction n as [|n IH]; simpl; auto.
  rewrite Nat.add_comm, sum_up_app, IH. f_equal. rewrite sum_up_shift. apply sum_up_ext.
  intros i Hi. f_equal. lia.
Qed.

(** ** Congruence, one side at a time: how a rewrite reaches its place. A lemma gives what its
    construct lets one assume there. *)
Lemma gen_in d lo hi f g : (forall i, lo <= i < hi -> f i = g i) -> gen d lo hi f = gen d lo hi g.
Proof.
  intro H. extensionality i. unfold gen. destruct (within_spec 0 (hi - lo) i); simpl; auto. apply H.
  lia.
Qed.
Lemma sum_in d lo hi f g : (forall i, lo <= i < hi -> f i = g i) -> sum d lo hi f = sum d lo hi g.
Proof. intro H. apply sum_up_ext. intros i Hi. apply H. lia. Qed.
Lemma guard_in d p a b : (p = true -> a = b) -> guard d p a = guard d p b.
Proof. destruct p; simpl; auto. Qed.
Lemma let_value d e x y f : x = y -> letin d e x f = letin d e y f.
Proof. now intros <-. Qed.
Lemma let_body d e x f g : (forall v, v = x -> f v = g v) -> letin d e x f = letin d e x g.
Proof. intro H. now apply H. Qed.
Lemma get_in d v w i : v = w -> get d v i = get d w i.
Proof. now intros <-. Qed.
Lemma add_left d a b c : a = b -> add d a c = add d b c.
Proof. now intros <-. Qed.
Lemma add_right d a b c : a = b -> add d c a = add d c b.
Proof. now intros <-. Qed.
Lemma mul_left a b c : a = b -> mul a c = mul b c.
Proof. now intros <-. Qed.
Lemma mul_right a b c : a = b -> mul c a = mul c b.
Proof. now intros <-. Qed.
Lemma call_only f a b : a = b -> call f (a :: nil)%list = call f (b :: nil)%list.
Proof. now intros <-. Qed.
Lemma call_left f a b c : a = b -> call f (a :: c :: nil)%list = call f (b :: c :: nil)%list.
Proof. now intros <-. Qed.
Lemma call_right f a b c : a = b -> call f (c :: a :: nil)%list = call f (c :: b :: nil)%list.
Proof. now intros <-. Qed.
Lemma concat_left d n m a b c : a = b -> concat d n m a c = concat d n m b c.
Proof. now intros <-. Qed.
Lemma concat_right d n m a b c : a = b -> concat d n m c a = concat d n m c b.
Proof. now intros <-. Qed.
Lemma transpose_in d v w : v = w -> transpose d v = transpose d w.
Proof. now intros <-. Qed.
Lemma flatten_in d n m v w : v = w -> flatten d n m v = flatten d n m w.
Proof. now intros <-. Qed.
Lemma split_in d n k v w : v = w -> split d n k v = split d n k w.
Proof. now intros <-. Qed.
Lemma pad_r_in d n k v w : v = w -> pad_r d n k v = pad_r d n k w.
Proof. now intros <-. Qed.
Lemma pad_l_in d n k v w : v = w -> pad_l d n k v = pad_l d n k w.
Proof. now intros <-. Qed.
Lemma trunc_r_in d k v w : v = w -> trunc_r d k v = trunc_r d k w.
Proof. now intros <-. Qed.
Lemma trunc_l_in d n k v w : v = w -> trunc_l d n k v = trunc_l d n k w.
Proof. now intros <-. Qed.

(** ** Boxes: how a certificate shows where a tensor is zero *)
Lemma supp_box d n sh v : box (S d) (n :: sh) v -> supp d n v.
Proof. now intros []. Qed.
Lemma box_scalar sh v : box 0 sh v.
Proof. exact I. Qed.
Lemma box_zero d : forall sh, box d sh (zero d).
Proof.
  induction d as [|d IH]; intros [|n sh]; simpl; auto. split; auto. intros i _. reflexivity.
Qed.
Lemma box_gen d n sh lo hi f :
  hi - lo <= n -> (forall i, lo <= i < hi -> box d sh (f i)) -> box (S d) (n :: sh) (gen d lo hi f).
Proof.
  intros Hn H. split.
  - intros i Hi. unfold gen. now rewrite within_false by lia.
  - intro i. unfold gen. destruct (within_spec 0 (hi - lo) i); simpl. apply H; lia. apply box_zero.
Qed.
Lemma supp_gen d n lo hi f : hi - lo <= n -> supp d n (gen d lo hi f).
Proof. intros Hn i Hi. unfold gen. now rewrite within_false by lia. Qed.
Lemma box_add d : forall sh a b, box d sh a -> box d sh b -> box d sh (add d a b).
Proof.
  induction d as [|d IH]; intros [|n sh] a b; simpl; auto. intros [A A'] [B B']. split; auto.
  intros i Hi. now rewrite A, B, add_0_l by assumption.
Qed.
Lemma box_guard d sh p e : (p = true -> box d sh e) -> box d sh (guard d p e).
Proof. destruct p; simpl; auto. intros _. apply box_zero. Qed.
Lemma box_sum d sh lo hi f : (forall i, lo <= i < hi -> box d sh (f i)) -> box d sh (sum d lo hi f).
Proof.
  intro H. assert (A : forall n, lo + Z.of_nat n <= hi \/ n = O -> box d sh (sum_up d lo f n)).
  { induction n as [|n IH]; simpl; intro L. apply box_zero. apply box_add. apply IH; lia. apply H.
    lia. }
  apply A. lia.
Qed.
Lemma box_let d e sh x f : (forall v, v = x -> box e sh (f v)) -> box e sh (letin d e x f).
Proof. intro H. now apply H. Qed.
Lemma box_eq d sh v x : v = x -> box d sh x -> box d sh v.
Proof. now intros <-. Qed.
Lemma box_get d n sh v i : box (S d) (n :: sh) v -> box d sh (get d v i).
Proof. intros []. auto. Qed.
Lemma box_transpose d n m sh v :
  box (S (S d)) (m :: n :: sh) v -> box (S (S d)) (n :: m :: sh) (transpose d v).
Proof.
  intros [A B]. unfold transpose. split; [|intro i; split].
  - intros i Hi. extensionality j. now apply (proj1 (B j)).
  - intros j Hj. now rewrite (A j Hj).
  - intro j. now apply (proj2 (B j)).
Qed.
Lemma box_trunc_r d n k sh v :
  k <= n -> (forall i, box d sh (v i)) -> box (S d) (n :: sh) (trunc_r d k v).
Proof.
  intros Hn H. split. intros i Hi. unfold trunc_r. now rewrite within_false by lia. intro i.
  now apply box_guard.
Qed.
Lemma box_trunc_l d n m k sh v :
  k <= n -> (forall i, box d sh (v i)) -> box (S d) (n :: sh) (trunc_l d m k v).
Proof.
  intros Hn H. split. intros i Hi. unfold trunc_l. now rewrite within_false by lia. intro i.
  now apply box_guard.
Qed.
Lemma box_pad_r d n m k sh v :
  m + k <= n -> (forall i, box d sh (v i)) -> box (S d) (n :: sh) (pad_r d m k v).
Proof.
  intros Hn H. split. intros i Hi. unfold pad_r. now rewrite within_false by lia. intro i.
  now apply box_guard.
Qed.
Lemma box_pad_l d n m k sh v :
  m + k <= n -> (forall i, box d sh (v i)) -> box (S d) (n :: sh) (pad_l d m k v).
Proof.
  intros Hn H. split. intros i Hi. unfold pad_l. now rewrite within_false by lia. intro i.
  now apply box_guard.
Qed.
Lemma box_flatten d n a b sh v :
  a * b <= n -> (forall i j, box d sh (v i j)) -> box (S d) (n :: sh) (flatten d a b v).
Proof.
  intros Hn H. split. intros i Hi. unfold flatten. now rewrite within_false by lia. intro i.
  now apply box_guard.
Qed.
Lemma box_split d a b n k sh v :
  cdiv n k <= a -> k <= b -> (forall i, box d sh (v i)) ->
  box (S (S d)) (a :: b :: sh) (split d n k v).
Proof.
  intros Ha Hb H. unfold split. split; [|intro o; split].
  - intros o Ho. extensionality i. now rewrite within_false by lia.
  - intros i Hi. rewrite (within_false 0 k i), andb_false_r by lia. reflexivity.
  - intro i. now apply box_guard.
Qed.
Lemma box_concat d n a b sh u v :
  a + b <= n -> 0 <= a -> 0 <= b -> (forall i, box d sh (u i)) -> (forall i, box d sh (v i)) ->
  box (S d) (n :: sh) (concat d a b u v).
Proof.
  intros Hn Ha Hb Hu Hv. unfold concat. split.
  - intros i Hi. rewrite (within_false a) by lia. destruct (within_spec 0 a i); simpl; try lia.
    apply add_0_l.
  - intro i. apply box_add; now apply box_guard.
Qed.
Lemma box_at d n sh v : box (S d) (n :: sh) v -> forall i, box d sh (v i).
Proof. now intros []. Qed.
End Constructs.

Arguments gen_in {ext K} d lo hi f g & H.
Arguments sum_in {K} d lo hi f g & H.
Arguments guard_in {K} d p a b & H.
Arguments let_value {K} d e x y f & H.
Arguments let_body {K} d e x f g & H.
Arguments get_in {K} d v w i & H.
Arguments add_left {K} d a b c & H.
Arguments add_right {K} d a b c & H.
Arguments mul_left {K} a b c & H.
Arguments mul_right {K} a b c & H.
Arguments call_only {K} f a b & H.
Arguments call_left {K} f a b c & H.
Arguments call_right {K} f a b c & H.
Arguments concat_left {K} d n m a b c & H.
Arguments concat_right {K} d n m a b c & H.
Arguments transpose_in {K} d v w & H.
Arguments flatten_in {K} d n m v w & H.
Arguments split_in {K} d n k v w & H.
Arguments pad_r_in {K} d n k v w & H.
Arguments pad_l_in {K} d n k v w & H.
Arguments trunc_r_in {K} d k v w & H.
Arguments trunc_l_in {K} d n k v w & H.
