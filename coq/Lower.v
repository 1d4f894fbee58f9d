(** Lowering proved: what running a loop nest adds to its destination is the tensor that it was
    lowered from.

    [low] relates a tensor [e] of shape [sh], a destination array [y] and a map [ix] from the
    indices of [e] to those of [y] to a statement. There is one lemma for each construct, and a
    certificate's proof of lowering is a term made of them. As [exec] fails at an access out of
    bounds, the final theorem states memory safety as well. *)
From Coq Require Import ZArith Lia Bool List String.
From Halidom Require Import Tensor Loop.
Open Scope Z_scope.
Import ListNotations.

Section Lower.
Context {ext : Extensionality} {K : semiring}.

(** The element of a tensor at a list of indices. *)
Fixpoint at_ (d : nat) : T K d -> list Z -> K :=
  match d with
  | O => fun v is => match is with [] => v | _ => k0 K end
  | S d => fun v is => match is with i :: is => at_ d (v i) is | [] => k0 K end
  end.
(** What an array of shape [sh] holds of a tensor. *)
Definition held (d : nat) (sh : list Z) (v : T K d) : list Z -> K :=
  fun is => if inside is sh then at_ d v is else k0 K.

(** ** Arrays that may be read, and what they hold *)
Definition known := list (string * array K).
Fixpoint find (a : string) (G : known) : option (array K) :=
  match G with [] => None | (b, v) :: G => if String.eqb a b then Some v else find a G end.
Definition holds (G : known) (m : memory K) : Prop := forall a v, find a G = Some v -> m a = Some v.

(** ** Scalars *)
Definition computes (r : env) (G : known) (e : scalar) (v : K) : Prop :=
  forall m, holds G m -> seval r m e = Some v.

Lemma c_zero r G : computes r G Zero (zero 0).
Proof. intros m _. reflexivity. Qed.
Lemma c_one r G : computes r G One one.
Proof. intros m _. reflexivity. Qed.
Lemma c_load r G a is d sh v js :
  find a G = Some (Array sh (held d sh v)) -> map (ieval r) is = js -> inside js sh = true ->
  computes r G (Fetch a is) (at_ d v js).
Proof. intros F <- I m H. simpl. rewrite (H _ _ F). simpl. unfold held. now rewrite I. Qed.
Lemma c_add r G a b x y :
  computes r G a x -> computes r G b y -> computes r G (Sum2 a b) (add 0 x y).
Proof. intros A B m H. simpl. now rewrite (A m H), (B m H). Qed.
Lemma c_mul r G a b x y : computes r G a x -> computes r G b y -> computes r G (Mul2 a b) (mul x y).
Proof. intros A B m H. simpl. now rewrite (A m H), (B m H). Qed.
Lemma c_guard r G p q a x :
  teval r p = q -> (q = true -> computes r G a x) -> computes r G (When p a) (guard 0 q x).
Proof. intros <- A m H. simpl. destruct (teval r p); simpl; auto. now apply A. Qed.
Lemma c_call0 r G f : computes r G (Apply0 f) (call f []).
Proof. intros m _. reflexivity. Qed.
Lemma c_call1 r G f a x : computes r G a x -> computes r G (Apply1 f a) (call f [x]).
Proof. intros A m H. simpl. now rewrite (A m H). Qed.
Lemma c_call2 r G f a b x y :
  computes r G a x -> computes r G b y -> computes r G (Apply2 f a b) (call f [x; y]).
Proof. intros A B m H. simpl. now rewrite (A m H), (B m H). Qed.

(** ** In bounds *)
Lemma inside_nil : inside [] [] = true.
Proof. reflexivity. Qed.
Lemma inside_cons i n is sh :
  0 <= i < n -> inside is sh = true -> inside (i :: is) (n :: sh) = true.
Proof. intros H I. simpl. now rewrite within_true, I by assumption. Qed.
Lemma same_spec : forall is js, same is js = true <-> is = js.
Proof.
  induction is as [|i is IH]; intros [|j js]; simpl; try easy. rewrite andb_true_iff, Z.eqb_eq, IH.
  split.
  now intros [-> ->]. now intros [= -> ->].
Qed.
Lemma same_refl is : same is is = true.
Proof. now apply same_spec. Qed.

(** ** Statements *)
(** Running [s] adds [e] to the destination and changes nothing else. *)
Definition adds (r : env) (G : known) (y : string) (shy : list Z) (s : stmt) (e : list Z -> K) :
  Prop :=
  forall m c, find y G = None -> holds G m -> m y = Some (Array shy c) ->
  exec r s m = Some (set m y (Some (Array shy (fun js => kadd K (c js) (e js))))).

Fixpoint Ix (d : nat) : Type := match d with O => list Z | S d => Z -> Ix d end.
(** The tensor [e], of shape [sh], scattered through [ix]. *)
Fixpoint scatter (d : nat) (sh : list Z) : T K d -> Ix d -> list Z -> K :=
  match d, sh with
  | O, _ => fun e is js => if same js is then e else k0 K
  | S d, n :: sh => fun e ix js => sum 0 0 n (fun i => scatter d sh (e i) (ix i) js)
  | S d, [] => fun _ _ _ => k0 K
  end.
Definition low (r : env) (G : known) (y : string) (shy : list Z) (d : nat) (sh : list Z) (e : T K d)
  (ix : Ix d) (s : stmt) : Prop :=
  adds r G y shy s (scatter d sh e ix).

Lemma set_set m y u v : set (K:=K) (set m y u) y v = set m y v.
Proof. extensionality b. unfold set. now destruct (String.eqb y b). Qed.
Lemma set_same m y v : set (K:=K) m y v y = v.
Proof. unfold set. now rewrite String.eqb_refl. Qed.
Lemma set_id (m : memory K) y v : m y = v -> set m y v = m.
Proof. intro H. extensionality b. unfold set. destruct (String.eqb_spec y b) as [<-|]; auto. Qed.
Lemma set_other (m : memory K) x y v : x <> y -> set m y v x = m x.
Proof. intro H. unfold set. destruct (String.eqb_spec y x); congruence. Qed.
Lemma find_other G x y v : find y G = None -> find x G = Some v -> x <> y.
Proof. intros A B ->. congruence. Qed.
Lemma holds_set G (m : memory K) y v : find y G = None -> holds G m -> holds G (set m y v).
Proof. intros F H a w A. rewrite set_other by now apply (find_other G a y w). now apply H. Qed.
Lemma k_add_0_r (a : K) : kadd K a (k0 K) = a.
Proof. rewrite kadd_comm. apply kadd_0. Qed.

Lemma adds_eq r G y shy s e f :
  (forall js, e js = f js) -> adds r G y shy s e -> adds r G y shy s f.
Proof. intro E. now replace f with e by now extensionality js. Qed.
Lemma adds_seq r G y shy s t e f :
  adds r G y shy s e -> adds r G y shy t f ->
  adds r G y shy (Seq s t) (fun js => kadd K (e js) (f js)).
Proof.
  intros A B m c F H M. simpl. rewrite (A m c F H M).
  rewrite (B _ (fun js => kadd K (c js) (e js)) F (holds_set _ _ _ _ F H) (set_same _ _ _)).
  rewrite set_set. do 4 f_equal. extensionality js. apply kadd_assoc.
Qed.
Lemma adds_times r G y shy (s : stmt) x lo hi (f : Z -> list Z -> K) :
  (forall i, ieval r lo <= i < ieval r hi -> adds ((x, i) :: r) G y shy s (f i)) ->
  adds r G y shy (For x lo hi s) (fun js => sum 0 (ieval r lo) (ieval r hi) (fun i => f i js)).
Proof.
  intros A m c F H M. simpl. unfold sum.
  assert (B : forall n, ieval r lo + Z.of_nat n <= ieval r hi \/ n = O ->
    times n (ieval r lo) (fun i => exec ((x, i) :: r) s) m
    = Some (set m y
      (Some (Array shy (fun js => kadd K (c js) (sum_up 0 (ieval r lo) (fun i => f i js) n)))))).
  { induction n as [|n IH]; intro L.
    - simpl. rewrite set_id; auto. rewrite M. do 2 f_equal. extensionality js.
      now rewrite k_add_0_r.
    - cbn [times]. rewrite IH by lia.
      rewrite (A (ieval r lo + Z.of_nat n) ltac:(lia) _ _ F (holds_set _ _ _ _ F H)
          (set_same _ _ _)), set_set.
      do 4 f_equal. extensionality js. simpl. apply kadd_assoc. }
  apply B. lia.
Qed.

Lemma scatter_zero d : forall sh ix js, scatter d sh (zero d) ix js = k0 K.
Proof.
  induction d as [|d IH]; intros sh ix js. simpl. now destruct (same js ix).
  destruct sh as [|n sh]; simpl; auto. unfold sum. rewrite (sum_up_ext 0 _ _ _ (fun _ => zero 0)).
  apply (sum_up_zero 0). intros. apply IH.
Qed.
Lemma scatter_add d :
  forall sh a b ix js, scatter d sh (add d a b) ix js
  = kadd K (scatter d sh a ix js) (scatter d sh b ix js).
Proof.
  induction d as [|d IH]; intros sh a b ix js. simpl. destruct (same js ix); auto.
  now rewrite kadd_0.
  destruct sh as [|n sh]; simpl. now rewrite kadd_0. unfold sum.
  etransitivity; [|apply (sum_up_add 0)]. apply (sum_up_ext 0). intros. apply IH.
Qed.
Lemma scatter_sum d sh lo (f : Z -> T K d) ix js n :
  scatter d sh (sum_up d lo f n) ix js = sum_up 0 lo (fun i => scatter d sh (f i) ix js) n.
Proof. induction n as [|n IH]; cbn [sum_up]. apply scatter_zero. now rewrite scatter_add, IH. Qed.

(** ** The constructs *)
Lemma low_scalar r G y shy e v is js :
  computes r G e v -> map (ieval r) is = js -> inside js shy = true ->
  low r G y shy 0 [] v js (Store y is e).
Proof.
  intros C <- I m c F H M. simpl. rewrite M, (C m H). simpl. rewrite I. do 4 f_equal.
  extensionality k. simpl.
  unfold bump. destruct (same k _); auto. now rewrite k_add_0_r.
Qed.
Lemma low_zero r G y shy d sh ix : low r G y shy d sh (zero d) ix Skip.
Proof.
  intros m c F H M. simpl. rewrite set_id; auto. rewrite M. do 2 f_equal. extensionality js.
  now rewrite scatter_zero, k_add_0_r.
Qed.
Lemma low_gen r G y shy d n sh lo hi f ix x lo' hi' s :
  ieval r lo' = lo -> ieval r hi' = hi -> n = hi - lo ->
  (forall i, lo <= i < hi -> low ((x, i) :: r) G y shy d sh (f i) (ix (i - lo)) s) ->
  low r G y shy (S d) (n :: sh) (gen d lo hi f) ix (For x lo' hi' s).
Proof.
  intros <- <- -> H. eapply adds_eq; [|apply adds_times; exact H]. intro js. simpl. unfold sum.
  rewrite sum_up_shift, Z.sub_0_r.
  apply (sum_up_ext 0). intros i Hi. unfold gen. rewrite within_true by lia. simpl. do 2 f_equal.
  lia.
Qed.
Lemma low_gen0 r G y shy d n sh f ix x hi' s :
  ieval r hi' = n -> (forall i, 0 <= i < n -> low ((x, i) :: r) G y shy d sh (f i) (ix i) s) ->
  low r G y shy (S d) (n :: sh) (gen d 0 n f) ix (For x (Num 0) hi' s).
Proof.
  intros E H. apply low_gen; auto; [lia|]. intros i Hi. replace (i - 0) with i by lia. now apply H.
Qed.
Lemma low_sum r G y shy d sh lo hi f ix x lo' hi' s :
  ieval r lo' = lo -> ieval r hi' = hi ->
  (forall i, lo <= i < hi -> low ((x, i) :: r) G y shy d sh (f i) ix s) ->
  low r G y shy d sh (sum d lo hi f) ix (For x lo' hi' s).
Proof.
  intros <- <- H. eapply adds_eq; [|apply adds_times; exact H]. intro js. cbn beta. unfold sum.
  now rewrite scatter_sum.
Qed.
Lemma low_guard r G y shy d sh p q e ix s :
  teval r q = p -> (p = true -> low r G y shy d sh e ix s) ->
  low r G y shy d sh (guard d p e) ix (If q s).
Proof.
  intros <- L m c F H M. simpl. destruct (teval r q); simpl. now apply L.
  now apply (low_zero r G y shy d sh ix m c).
Qed.
Lemma low_add r G y shy d sh a b ix s t :
  low r G y shy d sh a ix s -> low r G y shy d sh b ix t ->
  low r G y shy d sh (add d a b) ix (Seq s t).
Proof.
  intros A B. eapply adds_eq; [|exact (adds_seq _ _ _ _ _ _ _ _ A B)]. intro js. symmetry.
  apply scatter_add.
Qed.

(** ** Buffers *)
Fixpoint here (d : nat) (before : list Z -> list Z) : Ix d :=
  match d with O => before [] | S d => fun i => here d (fun is => before (i :: is)) end.
Definition self (d : nat) : Ix d := here d (fun is => is).
Lemma scatter_here d : forall sh v pre js, List.length sh = d ->
  scatter d sh v (here d (fun is => pre ++ is)) (pre ++ js) = held d sh v js.
Proof.
  assert (P : forall pre is js, same (pre ++ is) (pre ++ js) = same is js).
  { induction pre as [|p pre IH]; intros; simpl; auto. now rewrite Z.eqb_refl, IH. }
  induction d as [|d IH]; intros [|n sh] v pre js L; simpl in L; try discriminate.
  - unfold held. cbn [scatter here]. rewrite P. now destruct js.
  - cbn [scatter here]. injection L as L. destruct js as [|j js].
    + unfold held. simpl. unfold sum. rewrite (sum_up_ext 0 _ _ _ (fun _ => zero 0)).
      apply (sum_up_zero 0). intros i Hi.
      assert (N : forall d (sh : list Z) (v : T K d) pre' js,
          (List.length js < List.length pre')%nat ->
          scatter d sh v (here d (fun is => pre' ++ is)) js = k0 K).
      { clear - ext. induction d as [|d IH]; intros sh v pre' js L.
        - simpl. destruct (same js (pre' ++ [])) eqn:E; auto. apply same_spec in E. subst js.
          rewrite app_length in L. lia.
        - destruct sh as [|n sh]; simpl; auto. unfold sum.
          rewrite (sum_up_ext 0 _ _ _ (fun _ => zero 0)). apply (sum_up_zero 0).
          intros i _. replace (fun is => pre' ++ i :: is) with (fun is => (pre' ++ [i]) ++ is)
            by (extensionality is; now rewrite <- app_assoc).
          apply IH. rewrite app_length. simpl. lia. }
      replace (fun is => pre ++ i :: is) with (fun is => (pre ++ [i]) ++ is)
        by (extensionality is; now rewrite <- app_assoc).
      apply N. rewrite !app_length. simpl. lia.
    + transitivity (sum 0 0 n (fun i => guard 0 (i =? j) (held d sh (v i) js))).
      * apply (sum_in 0). intros i Hi.
        replace (fun is => pre ++ i :: is) with (fun is => (pre ++ [i]) ++ is)
          by (extensionality is; now rewrite <- app_assoc).
        destruct (Z.eqb_spec i j) as [->|N].
        -- replace (pre ++ j :: js) with ((pre ++ [j]) ++ js) by now rewrite <- app_assoc.
           now apply IH.
        -- simpl. assert (Q : forall d (sh : list Z) (v : T K d) tail,
               scatter d sh v (here d (fun is => (pre ++ [i]) ++ tail ++ is)) (pre ++ j :: js)
               = k0 K).
           { clear - ext N P. induction d as [|d IH]; intros sh v tail.
             - simpl. rewrite <- !app_assoc, P. simpl. destruct (Z.eqb_spec j i); [congruence|].
               reflexivity.
             - destruct sh as [|m sh]; simpl; auto. unfold sum.
               rewrite (sum_up_ext 0 _ _ _ (fun _ => zero 0)). apply (sum_up_zero 0).
               intros k _. replace (fun is => (pre ++ [i]) ++ tail ++ k :: is)
                 with (fun is => (pre ++ [i]) ++ (tail ++ [k]) ++ is)
                 by (extensionality is; now rewrite <- (app_assoc tail)). apply IH. }
           exact (Q d sh (v i) []).
      * unfold sum. rewrite sum_up_delta. unfold held. cbn [inside at_].
        replace (within 0 (0 + Z.of_nat (Z.to_nat (n - 0))) j) with (within 0 n j).
        2: { destruct (within_spec 0 n j), (within_spec 0 (0 + Z.of_nat (Z.to_nat (n - 0))) j);
            auto; lia. }
        destruct (within 0 n j); reflexivity.
Qed.
Lemma scatter_self d sh v js : List.length sh = d -> scatter d sh v (self d) js = held d sh v js.
Proof. exact (scatter_here d sh v [] js). Qed.

Lemma low_let r G y shy c d shx sh x u v ix shx' s t :
  map (ieval r) shx' = shx -> List.length shx = c -> find x G = None -> String.eqb x y = false ->
  low r G x shx c shx u (self c) s ->
  (forall w, low r ((x, Array shx (held c shx w)) :: G) y shy d sh (v w) ix t) ->
  low r G y shy d sh (letin c d u v) ix (New x shx' (Seq s t)).
Proof.
  intros E L Fx Nxy A B m k F H M. apply String.eqb_neq in Nxy. simpl. rewrite E.
  rewrite (A (set m x (Some (Array shx (fun _ => k0 K)))) (fun _ => k0 K));
    auto using holds_set, set_same. rewrite set_set.
  set (m1 := set m x _).
  assert (M1 : m1 = set m x (Some (Array shx (held c shx u)))).
  { unfold m1. do 3 f_equal. extensionality js. now rewrite kadd_0, scatter_self. }
  rewrite M1. rewrite (B u (set m x (Some (Array shx (held c shx u)))) k).
  - cbv beta iota. f_equal. extensionality b. unfold set.
    destruct (String.eqb_spec x b) as [<-|N]; [|reflexivity].
    destruct (String.eqb_spec y x); [congruence | reflexivity].
  - simpl. destruct (String.eqb_spec y x); congruence.
  - intros a w. simpl. destruct (String.eqb_spec a x) as [->|N].
    + intros [= <-]. apply set_same.
    + intro W. rewrite set_other by assumption. now apply H.
  - rewrite set_other by congruence. exact M.
Qed.

(** ** Where elements are zero: what [trunc_r] and [trunc_l] may leave out *)
Definition vanish (d : nat) (P : list Z -> Prop) (v : T K d) : Prop :=
  forall is, P is -> at_ d v is = k0 K.
Definition first_in (lo hi : Z) (is : list Z) : Prop :=
  match is with i :: _ => lo <= i < hi | [] => False end.

Implicit Type P : list Z -> Prop.

Lemma at_zero d : forall is, at_ d (zero d) is = k0 K.
Proof. induction d as [|d IH]; intros [|i is]; simpl; auto. Qed.
Lemma at_ext d : forall v w : T K d, (forall is, at_ d v is = at_ d w is) -> v = w.
Proof.
  induction d as [|d IH]; intros v w H. exact (H []). extensionality i. apply IH. intro is.
  exact (H (i :: is)).
Qed.
Lemma at_add d :
  forall v w is, at_ d v is = k0 K -> at_ d w is = k0 K -> at_ d (add d v w) is = k0 K.
Proof.
  induction d as [|d IH]; intros v w [|i is] A B; simpl in *; auto. rewrite A, B. apply kadd_0.
Qed.
Lemma vanish_rows d lo hi v :
  vanish (S d) (first_in lo hi) v -> forall i, lo <= i < hi -> v i = zero d.
Proof. intros V i Hi. apply at_ext. intro is. rewrite at_zero. exact (V (i :: is) Hi). Qed.

(** ** Reshape operators: only the way to the destination changes *)
Lemma low_transpose r G y shy d n m sh e ix s :
  low r G y shy (S (S d)) (m :: n :: sh) e (fun i j => ix j i) s ->
  low r G y shy (S (S d)) (n :: m :: sh) (transpose d e) ix s.
Proof.
  apply adds_eq. intro js.
  exact (sum_up_swap 0 0 0 (fun i k => scatter d sh (e i k) (ix k i) js) _ _).
Qed.
Lemma low_flatten r G y shy d n m q sh e ix s :
  q = n * m -> 0 <= n -> 0 < m ->
  low r G y shy (S (S d)) (n :: m :: sh) e (fun i j => ix (i * m + j)) s ->
  low r G y shy (S d) (q :: sh) (flatten d n m e) ix s.
Proof.
  intros -> Hn Hm. apply adds_eq. intro js. cbn [scatter]. unfold sum.
  rewrite !Z.sub_0_r, Z2Nat.inj_mul, sum_up_block by lia.
  apply (sum_up_ext 0). intros i Hi. apply (sum_up_ext 0). intros j Hj. rewrite Z2Nat.id by lia.
  unfold flatten.
  rewrite within_true by nia. cbn [guard].
  replace ((i * m + j) / m) with i by (rewrite Z.div_add_l, Z.div_small by lia; lia).
  replace ((i * m + j) mod m) with j
    by (rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia; reflexivity). reflexivity.
Qed.
Lemma low_split r G y shy d n k c sh e ix s :
  0 < k -> 0 <= n -> c = cdiv n k ->
  low r G y shy (S d) (n :: sh) e (fun i => ix (i / k) (i mod k)) s ->
  low r G y shy (S (S d)) (c :: k :: sh) (split d n k e) ix s.
Proof.
  intros Hk Hn -> . apply adds_eq. intro js. cbn [scatter]. unfold sum at 2 3. rewrite !Z.sub_0_r.
  pose proof (Z.div_mod (n + k - 1) k ltac:(lia)) as D.
  pose proof (Z.mod_pos_bound (n + k - 1) k Hk) as M. fold (cdiv n k) in D.
  assert (C : 0 <= cdiv n k) by nia.
  transitivity
    (sum_up 0 0 (fun i => guard 0 (i <? n) (scatter d sh (e i) (ix (i / k) (i mod k)) js))
      (Z.to_nat (cdiv n k) * Z.to_nat k)).
  - replace (Z.to_nat (cdiv n k) * Z.to_nat k)%nat
      with (Z.to_nat n + Z.to_nat (cdiv n k * k - n))%nat
      by (rewrite <- Z2Nat.inj_mul, <- Z2Nat.inj_add by nia; f_equal; lia).
    rewrite sum_up_app.
    rewrite (sum_up_ext 0 (0 + _) _ _ (fun _ => zero 0)), (sum_up_zero 0), (add_0_r 0).
    + unfold sum. rewrite Z.sub_0_r. apply (sum_up_ext 0). intros i Hi.
      now rewrite (proj2 (Z.ltb_lt i n)) by lia.
    + intros i Hi. now rewrite (proj2 (Z.ltb_ge i n)) by lia.
  - rewrite sum_up_block. apply (sum_up_ext 0). intros o Ho. apply (sum_up_ext 0). intros i Hi.
    rewrite Z2Nat.id by lia. unfold split.
    rewrite !within_true by lia. cbn [andb].
    replace ((o * k + i) / k) with o by (rewrite Z.div_add_l, Z.div_small by lia; lia).
    replace ((o * k + i) mod k) with i
      by (rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia; reflexivity).
    destruct (Z.ltb_spec (o * k + i) n); cbn [guard]; auto. symmetry. apply scatter_zero.
Qed.
Lemma low_trunc_r r G y shy d n k sh e ix s :
  0 <= k -> k <= n -> vanish (S d) (first_in k n) e ->
  low r G y shy (S d) (n :: sh) e ix s -> low r G y shy (S d) (k :: sh) (trunc_r d k e) ix s.
Proof.
  intros Hk Hn V. pose proof (vanish_rows _ _ _ _ V) as Z0. clear V. apply adds_eq. intro js.
  cbn [scatter]. unfold sum. rewrite !Z.sub_0_r.
  replace (Z.to_nat n) with (Z.to_nat k + Z.to_nat (n - k))%nat by lia. rewrite sum_up_app.
  rewrite (sum_up_ext 0 (0 + _) _ _ (fun _ => zero 0)), (sum_up_zero 0), (add_0_r 0).
  - apply (sum_up_ext 0). intros i Hi. unfold trunc_r. now rewrite within_true by lia.
  - intros i Hi. rewrite Z0 by lia. apply scatter_zero.
Qed.
Lemma low_trunc_l r G y shy d n k sh e ix s :
  0 <= k -> k <= n -> vanish (S d) (first_in 0 (n - k)) e ->
  low r G y shy (S d) (n :: sh) e (fun i => ix (i - (n - k))) s ->
  low r G y shy (S d) (k :: sh) (trunc_l d n k e) ix s.
Proof.
  intros Hk Hn V. pose proof (vanish_rows _ _ _ _ V) as Z0. clear V. apply adds_eq. intro js.
  cbn [scatter]. unfold sum. rewrite !Z.sub_0_r.
  replace (Z.to_nat n) with (Z.to_nat (n - k) + Z.to_nat k)%nat by lia. rewrite sum_up_app.
  rewrite (sum_up_ext 0 0 _ _ (fun _ => zero 0)), (sum_up_zero 0), (add_0_l 0).
  - rewrite sum_up_shift. apply (sum_up_ext 0). intros i Hi. unfold trunc_l.
    rewrite within_true by lia. cbn [guard]. do 2 f_equal; lia.
  - intros i Hi. rewrite Z0 by lia. apply scatter_zero.
Qed.
Lemma low_pad_r r G y shy d n k q sh e ix s :
  0 <= n -> 0 <= k -> q = n + k -> low r G y shy (S d) (n :: sh) e ix s ->
  low r G y shy (S d) (q :: sh) (pad_r d n k e) ix s.
Proof.
  intros Hn Hk ->. apply adds_eq. intro js. cbn [scatter]. unfold sum. rewrite !Z.sub_0_r.
  replace (Z.to_nat (n + k)) with (Z.to_nat n + Z.to_nat k)%nat by lia. rewrite sum_up_app.
  rewrite (sum_up_ext 0 (0 + _) (Z.to_nat k) _ (fun _ => zero 0)), (sum_up_zero 0), (add_0_r 0).
  - apply (sum_up_ext 0). intros i Hi. unfold pad_r.
    now rewrite within_true, (proj2 (Z.ltb_lt i n)) by lia.
  - intros i Hi. unfold pad_r. rewrite (proj2 (Z.ltb_ge i n)), andb_false_r by lia.
    apply scatter_zero.
Qed.
Lemma low_pad_l r G y shy d n k q sh e ix s :
  0 <= n -> 0 <= k -> q = n + k -> low r G y shy (S d) (n :: sh) e (fun i => ix (i + k)) s ->
  low r G y shy (S d) (q :: sh) (pad_l d n k e) ix s.
Proof.
  intros Hn Hk ->. apply adds_eq. intro js. cbn [scatter]. unfold sum. rewrite !Z.sub_0_r.
  replace (Z.to_nat (n + k)) with (Z.to_nat k + Z.to_nat n)%nat by lia. rewrite sum_up_app.
  rewrite (sum_up_ext 0 0 (Z.to_nat k) _ (fun _ => zero 0)), (sum_up_zero 0), (add_0_l 0).
  - rewrite (sum_up_shift 0 (0 + _)). apply (sum_up_ext 0). intros i Hi. unfold pad_l.
    rewrite within_true, (proj2 (Z.leb_le k _)) by lia. cbn [guard andb]. do 2 f_equal; lia.
  - intros i Hi. unfold pad_l. rewrite (proj2 (Z.leb_gt k i)), andb_false_r by lia.
    apply scatter_zero.
Qed.
Lemma low_concat r G y shy d n m q sh a b ix s t :
  0 <= n -> 0 <= m -> q = n + m -> low r G y shy (S d) (n :: sh) a ix s ->
  low r G y shy (S d) (m :: sh) b (fun i => ix (i + n)) t ->
  low r G y shy (S d) (q :: sh) (concat d n m a b) ix (Seq s t).
Proof.
  intros Hn Hm -> A B. eapply adds_eq; [|exact (adds_seq _ _ _ _ _ _ _ _ A B)]. intro js.
  cbn [scatter]. unfold sum. rewrite !Z.sub_0_r.
  replace (Z.to_nat (n + m)) with (Z.to_nat n + Z.to_nat m)%nat by lia. rewrite sum_up_app.
  symmetry. cbn [add]. f_equal.
  - apply (sum_up_ext 0). intros i Hi. unfold concat. rewrite within_true, within_false by lia.
    cbn [guard]. now rewrite add_0_r.
  - rewrite (sum_up_shift 0 (0 + _)). apply (sum_up_ext 0). intros i Hi. unfold concat.
    rewrite within_false, within_true by lia. cbn [guard].
    rewrite add_0_l. do 2 f_equal; lia.
Qed.

(** A shape may be written in another way. *)
Lemma low_shape r G y shy d sh sh' e ix s :
  sh = sh' -> low r G y shy d sh' e ix s -> low r G y shy d sh e ix s.
Proof. now intros ->. Qed.

(** ** How elements are shown to be zero *)
Lemma vanish_absurd d P v : (forall is, P is -> False) -> vanish d P v.
Proof. intros H is Q. destruct (H is Q). Qed.
Lemma vanish_zero d P : vanish d P (zero d).
Proof. intros is _. apply at_zero. Qed.
Lemma vanish_guard_false d P p v : (forall is, P is -> p = false) -> vanish d P (guard d p v).
Proof. intros H is Q. rewrite (H is Q). apply at_zero. Qed.
Lemma vanish_guard d P p v : (p = true -> vanish d P v) -> vanish d P (guard d p v).
Proof. intros H. destruct p; simpl. now apply H. apply vanish_zero. Qed.
Lemma vanish_gen d P lo hi f :
  (forall i, lo <= i < hi -> vanish d (fun is => P (i - lo :: is)) (f i)) ->
  vanish (S d) P (gen d lo hi f).
Proof.
  intros H [|i is] Q; simpl; auto. unfold gen.
  destruct (within_spec 0 (hi - lo) i); simpl; [|apply at_zero].
  apply (H (lo + i)); [lia|]. now replace (lo + i - lo) with i by lia.
Qed.
Lemma vanish_gen0 d P n f :
  (forall i, 0 <= i < n -> vanish d (fun is => P (i :: is)) (f i)) -> vanish (S d) P (gen d 0 n f).
Proof. intro H. apply vanish_gen. intros i Hi is. rewrite Z.sub_0_r. now apply H. Qed.
Lemma vanish_sum d P lo hi f :
  (forall i, lo <= i < hi -> vanish d P (f i)) -> vanish d P (sum d lo hi f).
Proof.
  intros H is Q. unfold sum.
  assert (A : forall n, lo + Z.of_nat n <= hi \/ n = O -> at_ d (sum_up d lo f n) is = k0 K).
  { induction n as [|n IH]; intro L; simpl. apply at_zero. apply at_add. apply IH; lia.
    apply H; auto; lia. }
  apply A. lia.
Qed.
Lemma vanish_add d P v w : vanish d P v -> vanish d P w -> vanish d P (add d v w).
Proof. intros A B is Q. apply at_add; auto. Qed.
Lemma vanish_mul_left P v w : vanish 0 P v -> vanish 0 P (mul v w).
Proof.
  intros A [|i is] Q; simpl; auto. specialize (A [] Q). simpl in A. unfold mul. rewrite A.
  apply kmul_0.
Qed.
Lemma vanish_mul_right P v w : vanish 0 P w -> vanish 0 P (mul v w).
Proof.
  intros A [|i is] Q; simpl; auto. specialize (A [] Q). simpl in A. unfold mul.
  rewrite A, kmul_comm. apply kmul_0.
Qed.
Lemma vanish_let c d P u v : (forall x, x = u -> vanish d P (v x)) -> vanish d P (letin c d u v).
Proof. intro H. now apply H. Qed.
Lemma vanish_transpose d P v :
  vanish (S (S d)) (fun is => match is with i :: j :: is => P (j :: i :: is) | _ => False end) v ->
  vanish (S (S d)) P (transpose d v).
Proof. intros H [|i [|j is]] Q; simpl; auto. now apply (H (j :: i :: is)). Qed.
Lemma vanish_flatten d P n m v : 0 < m ->
  vanish (S (S d)) (fun is => match is with i :: j :: is => 0 <= j < m
    /\ P (i * m + j :: is) | _ => False end) v ->
  vanish (S d) P (flatten d n m v).
Proof.
  intros Hm H [|i is] Q; simpl; auto. unfold flatten.
  destruct (within 0 (n * m) i); simpl; [|apply at_zero].
  apply (H (i / m :: i mod m :: is)). split. now apply Z.mod_pos_bound.
  replace (i / m * m + i mod m) with i; auto. rewrite (Z.div_mod i m) at 1 by lia. lia.
Qed.
Lemma vanish_split d P n k v : 0 < k ->
  vanish (S d) (fun is => match is with x :: is => 0 <= x < n
    /\ P (x / k :: x mod k :: is) | [] => False end) v ->
  vanish (S (S d)) P (split d n k v).
Proof.
  intros Hk H [|o [|i is]] Q; simpl; auto. unfold split.
  destruct (within_spec 0 (cdiv n k) o), (within_spec 0 k i), (Z.ltb_spec (o * k + i) n);
    cbn [andb guard]; try apply at_zero.
  apply (H (o * k + i :: is)). split; [nia|].
  replace ((o * k + i) / k) with o by (rewrite Z.div_add_l, Z.div_small by lia; lia).
  replace ((o * k + i) mod k) with i
    by (rewrite Z.add_comm, Z.mod_add, Z.mod_small by lia; reflexivity). exact Q.
Qed.
Lemma vanish_trunc_r d P k v : vanish (S d) P v -> vanish (S d) P (trunc_r d k v).
Proof.
  intros H [|i is] Q; simpl; auto. unfold trunc_r. destruct (within 0 k i); simpl; [|apply at_zero].
  exact (H (i :: is) Q).
Qed.
Lemma vanish_trunc_l d P n k v :
  vanish (S d) (fun is => match is with i :: is => n - k <= i < n
    /\ P (i - (n - k) :: is) | [] => False end) v ->
  vanish (S d) P (trunc_l d n k v).
Proof.
  intros H [|i is] Q; simpl; auto. unfold trunc_l.
  destruct (within_spec 0 k i) as [L|L]; simpl; [|apply at_zero].
  apply (H (i + n - k :: is)). split; [lia|]. now replace (i + n - k - (n - k)) with i by lia.
Qed.
Lemma vanish_pad_r d P n k v :
  vanish (S d) (fun is => match is with i :: is => 0 <= i < n /\ P (i :: is) | [] => False end) v ->
  vanish (S d) P (pad_r d n k v).
Proof.
  intros H [|i is] Q; simpl; auto. unfold pad_r.
  destruct (within_spec 0 (n + k) i), (Z.ltb_spec i n); cbn [andb guard]; try apply at_zero.
  exact (H (i :: is) (conj (conj (proj1 H0) H1) Q)).
Qed.
Lemma vanish_pad_l d P n k v :
  vanish (S d) (fun is => match is with i :: is => 0 <= i < n
    /\ P (i + k :: is) | [] => False end) v -> vanish (S d) P (pad_l d n k v).
Proof.
  intros H [|i is] Q; simpl; auto. unfold pad_l.
  destruct (within_spec 0 (n + k) i), (Z.leb_spec k i); cbn [andb guard]; try apply at_zero.
  apply (H (i - k :: is)). split; [lia|]. now replace (i - k + k) with i by lia.
Qed.
Lemma vanish_concat d P n m u v :
  vanish (S d) (fun is => match is with i :: is => 0 <= i < n /\ P (i :: is) | [] => False end) u ->
  vanish (S d) (fun is => match is with i :: is => 0 <= i < m
    /\ P (i + n :: is) | [] => False end) v ->
  vanish (S d) P (concat d n m u v).
Proof.
  intros A B [|i is] Q; simpl; auto. unfold concat. apply at_add.
  - destruct (within_spec 0 n i) as [L|L]; simpl; [|apply at_zero]. exact (A (i :: is) (conj L Q)).
  - destruct (within_spec n (n + m) i) as [L|L]; simpl; [|apply at_zero]. apply (B (i - n :: is)).
    split; [lia|].
    now replace (i - n + n) with i by lia.
Qed.

(** ** Whole programs *)
Lemma lowered r G y d sh e s m c :
  List.length sh = d -> find y G = None -> low r G y sh d sh e (self d) s -> holds G m ->
  m y = Some (Array sh c) ->
  exec r (Seq (Clear y) s) m = Some (set m y (Some (Array sh (held d sh e)))).
Proof.
  intros L F A H M. simpl. rewrite M. simpl.
  rewrite (A _ (fun _ => k0 K) F (holds_set _ _ _ _ F H) (set_same _ _ _)), set_set.
  do 4 f_equal. extensionality js. now rewrite kadd_0, scatter_self.
Qed.
End Lower.
Arguments known : clear implicits.
Arguments low_shape {K} r G y shy d sh sh' e ix s & _ _.
Arguments vanish_absurd {K} d P v & _.
Arguments vanish_guard_false {K} d P p v & _.
Arguments vanish_guard {K} d P p v & _.
Arguments vanish_gen {K} d P lo hi f & _.
Arguments vanish_gen0 {K} d P n f & _.
Arguments vanish_sum {K} d P lo hi f & _.
Arguments vanish_add {K} d P v w & _ _.
Arguments vanish_mul_left {K} P v w & _.
Arguments vanish_mul_right {K} P v w & _.
Arguments vanish_let {K} c d P u v & _.
Arguments vanish_transpose {K} d P v & _.
Arguments vanish_flatten {K} d P n m v & _ _.
Arguments vanish_split {K} d P n k v & _ _.
Arguments vanish_trunc_r {K} d P k v & _.
Arguments vanish_trunc_l {K} d P n k v & _.
Arguments vanish_pad_r {K} d P n k v & _.
Arguments vanish_pad_l {K} d P n k v & _.
Arguments vanish_concat {K} d P n m u v & _ _.
Arguments low_gen {ext K} r G y shy d n sh lo hi f ix x lo' hi' s & _ _ _ _.
Arguments low_gen0 {ext K} r G y shy d n sh f ix x hi' s & _ _.
Arguments low_sum {ext K} r G y shy d sh lo hi f ix x lo' hi' s & _ _ _.
Arguments low_guard {ext K} r G y shy d sh p q e ix s & _ _.
Arguments low_add {ext K} r G y shy d sh a b ix s t & _ _.
Arguments low_let {ext K} r G y shy c d shx sh x u v ix shx' s t & _ _ _ _ _ _.
Arguments low_transpose {ext K} r G y shy d n m sh e ix s & _.
Arguments low_flatten {ext K} r G y shy d n m q sh e ix s & _ _ _ _.
Arguments low_split {ext K} r G y shy d n k c sh e ix s & _ _ _ _.
Arguments low_trunc_r {ext K} r G y shy d n k sh e ix s & _ _ _ _.
Arguments low_trunc_l {ext K} r G y shy d n k sh e ix s & _ _ _ _.
Arguments low_pad_r {ext K} r G y shy d n k q sh e ix s & _ _ _ _.
Arguments low_pad_l {ext K} r G y shy d n k q sh e ix s & _ _ _ _.
Arguments low_concat {ext K} r G y shy d n m q sh a b ix s t & _ _ _ _ _.
Arguments low_scalar {ext K} r G y shy e v is js & _ _ _.
Arguments c_load {K} r G a is d sh v js & _ _ _.
Arguments c_add {K} r G a b x y & _ _.
Arguments c_mul {K} r G a b x y & _ _.
Arguments c_guard {K} r G p q a x & _ _.
