(** Everything that a certificate imports, and the lemmas and tactics by which its side conditions
    are closed. *)
From Coq Require Export ZArith Lia Bool List String.
From Halidom Require Export Tensor Rules Reshape Distribute Loop Machine Lower Parallel Print
  Instances.
Export ListNotations.
Open Scope Z_scope.

(** Products and quotients, for terms that the compiler's prover writes: linear arithmetic sees each
    product and each quotient as one unknown. *)
Lemma product_nonneg a b : 0 <= a -> 0 <= b -> 0 <= a * b.
Proof. apply Z.mul_nonneg_nonneg. Qed.
Lemma div_facts a b : 0 < b -> b * (a / b) <= a < b * (a / b) + b.
Proof. intro H. pose proof (Z.div_mod a b ltac:(lia)). pose proof (Z.mod_pos_bound a b H). lia. Qed.
Lemma mod_facts a b : 0 < b -> 0 <= a mod b < b /\ a = b * (a / b) + a mod b.
Proof. intro H. split. now apply Z.mod_pos_bound. apply Z.div_mod. lia. Qed.
Lemma cdiv_facts a b : 0 < b -> a <= b * cdiv a b < a + b.
Proof. intro H. unfold cdiv. pose proof (div_facts (a + b - 1) b H). lia. Qed.
Lemma div_sign a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. apply Z.div_pos. Qed.
Lemma div_below a b c : 0 < b -> a < b * c -> a / b < c.
Proof. intros Hb H. now apply Z.div_lt_upper_bound. Qed.
Lemma cdiv_sign a b : 0 <= a -> 0 < b -> 0 <= cdiv a b.
Proof. intros Ha Hb. apply Z.div_pos; lia. Qed.

(** Guards as propositions. *)
Ltac guards :=
  repeat match goal with
  | H : (_ && _) = true |- _ => apply andb_prop in H; destruct H
  | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H
  | H : (_ <=? _) = true |- _ => apply Z.leb_le in H
  | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H
  | |- (_ && _) = true => apply andb_true_intro; split
  | |- (_ <? _) = true => apply Z.ltb_lt
  | |- (_ <=? _) = true => apply Z.leb_le
  | |- (_ =? _) = true => apply Z.eqb_eq
  | |- true = true => reflexivity
  end.
(** The negation of a goal as a fact: products of facts may need it. *)
Ltac negate :=
  repeat match goal with |- _ /\ _ => split end;
  match goal with
  | |- _ <= _ => apply Z.nlt_ge; intro
  | |- _ < _ => apply Z.nle_gt; intro
  | |- @eq Z _ _ => apply Z.le_antisymm; apply Z.nlt_ge; intro
  | |- _ => idtac
  end.
(** Two guards that hold together. *)
Lemma bool_iff (p q : bool) : (p = true -> q = true) -> (q = true -> p = true) -> p = q.
Proof. destruct p, q; intuition congruence. Qed.

(** ** Boxes, as certificates show them *)
Section Boxes.
Context {ext : Extensionality} {K : semiring}.
Lemma box_nil d (v : T K d) : box d [] v.
Proof. now destruct d. Qed.
Lemma supp_of d n (v : T K (S d)) : box (S d) [n] v -> supp d n v.
Proof. now intros []. Qed.
(** The first list claims less than the second. *)
Fixpoint fits (claimed known : list Z) : Prop :=
  match claimed, known with [], _ => True | n :: c, m :: k => m <= n
  /\ fits c k | _, _ => False end.
Lemma box_fits d :
  forall claimed known (v : T K d), box d known v -> fits claimed known -> box d claimed v.
Proof.
  induction d as [|d IH]; intros [|n c] [|m k] v B F; simpl in *; try easy.
  destruct B as [B1 B2], F as [F1 F2]. split.
  - intros i Hi. apply B1. lia.
  - intro i. now apply (IH c k).
Qed.
End Boxes.
Arguments supp_of {K} d n v & _.
Arguments box_fits {K} d claimed known v & _ _.
Arguments box_gen {K} d n sh lo hi f & _ _.
Arguments box_add {ext K} d sh a b & _ _.
Arguments box_guard {K} d sh p e & _.
Arguments box_sum {ext K} d sh lo hi f & _.
Arguments box_let {K} d e sh x f & _.
Arguments box_eq {K} d sh v x & _ _.
Arguments box_get {K} d n sh v i & _.
Arguments box_transpose {ext K} d n m sh v & _.
Arguments box_trunc_r {K} d n k sh v & _ _.
Arguments box_trunc_l {K} d n m k sh v & _ _.
Arguments box_pad_r {K} d n m k sh v & _ _.
Arguments box_pad_l {K} d n m k sh v & _ _.
Arguments box_flatten {K} d n a b sh v & _ _.
Arguments box_split {ext K} d a b n k sh v & _ _ _.
Arguments box_concat {ext K} d n a b sh u v & _ _ _ _ _.
