(** The location lemma of docs/validator.md: which element of a buffer an access touches.

    Slots are numbers from 0 below the extent, one for each dimension; [flat] is the element number.
    Obligations `location` and `bounds` show that every access has the element number of the slots
    of its claimed coordinates, and that these are in range
    (crates/validate/src/obligation/access.rs). *)
From Coq Require Import ZArith Lia List Bool.
Import ListNotations.
Open Scope Z_scope.

Record dimension := Dimension { least : Z; extent : Z; stride : Z; folded : bool }.

Definition in_range (d : dimension) (slot : Z) : Prop := 0 <= slot < extent d.
Definition slots_in_range : list dimension -> list Z -> Prop := Forall2 in_range.

Fixpoint flat (dims : list dimension) (slots : list Z) : Z :=
  match dims, slots with
  | d :: dims, s :: slots => s * stride d + flat dims slots
  | _, _ => 0
  end.

Fixpoint size (dims : list dimension) : Z :=
  match dims with
  | [] => 1
  | d :: dims => extent d * size dims
  end.

(** The strides of an internal buffer: in some order of the dimensions, the products of [first] and
    the extents before ([mixed_radix] in the code). *)
Inductive mixed_radix : Z -> list dimension -> Prop :=
| no_dimension first : mixed_radix first []
| next_dimension first before d after :
    stride d = first -> mixed_radix (first * extent d) (before ++ after) ->
    mixed_radix first (before ++ d :: after).

(** The strides of an output: in some order of the dimensions, each steps over the dimensions before
    ([injective] in the code). *)
Inductive steps_over : Z -> list dimension -> Prop :=
| over_nothing first : steps_over first []
| over_dimension first before d after :
    first <= stride d -> steps_over (stride d * extent d) (before ++ after) ->
    steps_over first (before ++ d :: after).

Lemma flat_insert before d after front s back :
  length before = length front ->
  flat (before ++ d :: after) (front ++ s :: back)
  = s * stride d + flat (before ++ after) (front ++ back).
Proof.
  revert front.
  induction before as [|b before IH]; intros [|f front] same; simpl in *; try discriminate;
    [reflexivity|].
  rewrite IH by lia. lia.
Qed.

Lemma size_insert before d after : size (before ++ d :: after) = extent d * size (before ++ after).
Proof. induction before as [|b before IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma lengths_equal {A B} (R : A -> B -> Prop) xs ys : Forall2 R xs ys -> length xs = length ys.
Proof. induction 1; simpl; congruence. Qed.

Lemma range_insert before d after slots :
  slots_in_range (before ++ d :: after) slots ->
  exists front s back, slots = front ++ s :: back /\ length before = length front /\ in_range d s
    /\ slots_in_range (before ++ after) (front ++ back).
Proof.
  intros range. apply Forall2_app_inv_l in range.
  destruct range as (front & rest & in_front & in_rest & ->).
  inversion in_rest as [|? s ? back here there]; subst.
  exists front, s, back. split; [reflexivity|]. split; [eapply lengths_equal; eassumption|].
  split; [exact here|]. now apply Forall2_app.
Qed.

Lemma parts_equal {A} (front front' back back' : list A) :
  length front = length front' -> front ++ back = front' ++ back' -> front = front' /\ back = back'.
Proof.
  revert front'.
  induction front as [|f front IH]; intros [|f' front'] lengths tails; simpl in *; try discriminate;
    auto.
  injection tails as <- tails. destruct (IH front') as [-> ->]; auto.
Qed.

(** Element numbers are multiples of the first stride, below the size. *)
Lemma mixed_radix_range first dims :
  mixed_radix first dims -> 0 < first -> forall slots, slots_in_range dims slots ->
  exists q, flat dims slots = first * q /\ 0 <= q < size dims.
Proof.
  induction 1 as [first|first before d after own rest IH]; intros positive slots range.
  - inversion range; subst. exists 0. simpl. lia.
  - apply range_insert in range. destruct range as (front & s & back & -> & same & here & range).
    unfold in_range in here.
    destruct (IH ltac:(nia) _ range) as (q & number & bound).
    exists (s + extent d * q). rewrite flat_insert, size_insert, number, own by assumption. nia.
Qed.

Lemma mixed_radix_injective first dims :
  mixed_radix first dims -> 0 < first -> forall slots others, slots_in_range dims slots ->
  slots_in_range dims others ->
  flat dims slots = flat dims others -> slots = others.
Proof.
  induction 1 as [first|first before d after own rest IH];
    intros positive slots others range other_range equal.
  - inversion range; inversion other_range; reflexivity.
  - apply range_insert in range. destruct range as (front & s & back & -> & same & here & range).
    apply range_insert in other_range.
    destruct other_range as (front' & s' & back' & -> & same' & here' & range').
    unfold in_range in here, here'.
    rewrite !flat_insert in equal by assumption.
    assert (0 < first * extent d) as positive' by nia.
    destruct (mixed_radix_range _ _ rest positive' _ range) as (q & number & _).
    destruct (mixed_radix_range _ _ rest positive' _ range') as (q' & number' & _).
    rewrite number, number', own in equal.
    assert (s + extent d * q = s' + extent d * q') as digits by nia.
    assert (q = q') by nia. subst q'. assert (s = s') by lia. subst s'.
    assert (front ++ back = front' ++ back') as tails by (apply IH; auto; congruence).
    destruct (parts_equal front front' back back') as [-> ->]; [congruence|assumption|reflexivity].
Qed.

Lemma steps_over_injective first dims :
  steps_over first dims -> forall rest other slots others,
  0 <= rest < first -> 0 <= other < first -> slots_in_range dims slots ->
  slots_in_range dims others ->
  rest + flat dims slots = other + flat dims others -> rest = other /\ slots = others.
Proof.
  induction 1 as [first|first before d after over layout IH];
    intros rest other slots others low low' range range' equal.
  - inversion range; inversion range'; subst. simpl in equal. split; [lia|reflexivity].
  - apply range_insert in range. destruct range as (front & s & back & -> & same & here & range).
    apply range_insert in range'.
    destruct range' as (front' & s' & back' & -> & same' & here' & range').
    unfold in_range in here, here'.
    rewrite !flat_insert in equal by assumption.
    destruct (IH (rest + s * stride d) (other + s' * stride d) (front ++ back) (front' ++ back'))
      as [digits tails]; auto; try nia.
    assert (s = s') by nia. subst s'. split; [lia|].
    destruct (parts_equal front front' back back') as [-> ->]; [congruence|assumption|reflexivity].
Qed.

(** Coordinates: a slot is the coordinate less the minimum, or its remainder by the extent in a
    folded dimension. *)
Definition slot (d : dimension) (coord : Z) : Z :=
  if folded d then coord mod extent d else coord - least d.
Definition within (d : dimension) (coord : Z) : Prop :=
  if folded d then 0 < extent d else least d <= coord < least d + extent d.
Definition slots (dims : list dimension) (coords : list Z) : list Z :=
  map (fun p => slot (fst p) (snd p)) (combine dims coords).

(** Two coordinates of one element: equal, or in a folded dimension apart by a multiple of the
    extent ([sharing] in the code). *)
Definition alike (d : dimension) (coord other : Z) : Prop :=
  if folded d then exists times, other = coord + times * extent d else coord = other.
Inductive all_alike : list dimension -> list Z -> list Z -> Prop :=
| alike_nil : all_alike [] [] []
| alike_cons d dims c coords o others : alike d c o -> all_alike dims coords others ->
all_alike (d :: dims) (c :: coords) (o :: others).

Lemma slot_in_range d coord : within d coord -> in_range d (slot d coord).
Proof.
  unfold within, in_range, slot.
  destruct (folded d); intros; [apply Z.mod_pos_bound; assumption|lia].
Qed.

Lemma slots_are_in_range dims coords :
  Forall2 within dims coords -> slots_in_range dims (slots dims coords).
Proof. induction 1; constructor; auto using slot_in_range. Qed.

Lemma slot_equal d coord other :
  within d coord -> within d other -> (slot d coord = slot d other <-> alike d coord other).
Proof.
  unfold within, slot, alike. destruct (folded d); intros here there; [|lia]. split.
  - intros same. exists (other / extent d - coord / extent d).
    rewrite (Z.div_mod coord (extent d)) at 1 by lia.
    rewrite (Z.div_mod other (extent d)) at 1 by lia. nia.
  - intros [times ->]. symmetry. apply Z.mod_add. lia.
Qed.

Lemma slots_equal dims coords others :
  Forall2 within dims coords -> Forall2 within dims others ->
  (slots dims coords = slots dims others <-> all_alike dims coords others).
Proof.
  intros here. revert others.
  induction here as [|d c dims coords inside here IH]; intros others there;
    inversion there as [|? o ? more inside' there']; subst.
  - split; constructor.
  - unfold slots in *. simpl. split.
    + intros equal. injection equal as one rest.
      constructor; [now apply slot_equal in one|now apply IH in rest].
    + intros same. inversion same; subst. f_equal; [now apply slot_equal|now apply IH].
Qed.

(** Two accesses of an internal buffer within its bounds touch one element exactly if their
    coordinates are alike, and the element is the buffer's. *)
Theorem location_internal dims coords others :
  mixed_radix 1 dims -> Forall2 within dims coords -> Forall2 within dims others ->
  0 <= flat dims (slots dims coords) < size dims
  /\ (flat dims (slots dims coords) = flat dims (slots dims others)
    <-> all_alike dims coords others).
Proof.
  intros layout here there.
  pose proof (slots_are_in_range _ _ here) as range.
  pose proof (slots_are_in_range _ _ there) as range'.
  split.
  - destruct (mixed_radix_range _ _ layout ltac:(lia) _ range) as (q & -> & bound). lia.
  - rewrite <- slots_equal by assumption. split; [|congruence].
    intros equal. eapply mixed_radix_injective; eauto. lia.
Qed.

(** The same for outputs, which are the caller's and not folded. *)
Theorem location_output dims coords others :
  steps_over 1 dims -> Forall (fun d => folded d = false) dims -> Forall2 within dims coords ->
  Forall2 within dims others ->
  (flat dims (slots dims coords) = flat dims (slots dims others) <-> coords = others).
Proof.
  intros layout plain here there.
  pose proof (slots_are_in_range _ _ here) as range.
  pose proof (slots_are_in_range _ _ there) as range'.
  split; [|congruence]. intros equal.
  destruct (steps_over_injective _ _ layout 0 0 _ _ ltac:(lia) ltac:(lia) range range') as [_ same];
    [lia|].
  apply slots_equal in same; try assumption.
  clear - plain same. induction same as [|d dims c coords o others one rest IH]; [reflexivity|].
  inversion plain; subst. f_equal; auto. unfold alike in one. rewrite H1 in one. exact one.
Qed.

(** Hoisted storage: a buffer that has no more coordinates in any dimension than another one has no
    more elements. *)
Theorem location_lent dims room :
  Forall2 (fun d r => 0 <= extent d <= extent r) dims room -> 0 <= size dims <= size room.
Proof. induction 1 as [|d r dims room fits rest IH]; simpl; [lia|nia]. Qed.
