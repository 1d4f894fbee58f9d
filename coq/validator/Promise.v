(** The induction of docs/validator.md: every label keeps its promise, every load that matters
    yields what it claims, every output holds what the algorithm says.

    What is given is one run: the instances of stores, loads and labels, each with its time.
    Indices, bounds and conditions have in it the values that the loads in them claim; the theorem
    shows that these loads do yield those values, so that it is a run of the program. Nothing is
    known of its order but that it admits [before], what the program's text orders (Order.v), so the
    theorem is about every order of unordered iterations. Each hypothesis is named after the kind of
    obligation that shows it; those named [run_] say what a run is, those named [spec_] what an
    algorithm denotes. *)
From Coq Require Import Arith Lia.

(** Instances of accesses and labels, and the end of the run. *)
Inductive event (store load label : Type) :=
| Store (s : store) | Load (l : load) | Label (p : label) | Finish.
Arguments Store {store load label}. Arguments Load {store load label}.
Arguments Label {store load label}. Arguments Finish {store load label}.

(** What a buffer holds: an input; a component of a func that has one stage; of one that has
    updates. *)
Inductive kind := Input | Single | Updated.

(** An instance of an update stage: the label that it stands under, its version, and the buffer and
    coordinates that it writes. *)
Record reader (label version buffer coord : Type) :=
  Reader { of_label : label; of_version : version; of_buffer : buffer; of_coord : coord }.
Arguments of_label {label version buffer coord}. Arguments of_version {label version buffer coord}.
Arguments of_buffer {label version buffer coord}. Arguments of_coord {label version buffer coord}.

Section Run.
(** Buffers are lifetimes of buffers. *)
Variables store load label buffer coord version value : Type.
Notation event := (event store load label).
Notation reader := (reader label version buffer coord).

(** * The run *)
Variable at_buffer : store -> buffer.
Variable at_coord : store -> coord.
(** The instance of the specification that a store claims: its stage and point. *)
Variable claim : store -> version.
(** The innermost label of the store's func around it. *)
Variable label_of : store -> label.
(** [None]: an undefined value. *)
Variable written : store -> option value.
Variable from_buffer : load -> buffer.
Variable from_coord : load -> coord.
Variable loaded : load -> option value.
(** Of a load of the func that is updated there: by which instance. *)
Variable own : load -> option reader.

Variable when : store -> nat.
Variable looks : load -> nat.
Variables begins ends : label -> nat.
Variable the_end : nat.
Definition start (e : event) : nat :=
  match e with Store s => when s | Load l => looks l | Label p => begins p | Finish => the_end end.
Definition finish (e : event) : nat :=
  match e with Store s => S (when s) | Load l => looks l | Label p => ends p
  | Finish => the_end end.

Variable step : nat -> option store.
Hypothesis run_step : forall t s, step t = Some s <-> when s = t.
Hypothesis run_label : forall p, begins p < ends p <= the_end.
Hypothesis run_under : forall s, begins (label_of s) <= when s < ends (label_of s).
(** What the text orders comes in this order. *)
Variable before : event -> event -> Prop.
Hypothesis run_admits : forall a b, before a b -> finish a <= start b.

(** Memory. By the location lemma, elements of a buffer are classes of coordinates. *)
Variable buffer_equal : forall a b : buffer, {a = b} + {a <> b}.
Variable alike : buffer -> coord -> coord -> bool.
Hypothesis location : forall b c, alike b c c = true.
Definition touches (s : store) (b : buffer) (c : coord) : bool :=
  if buffer_equal (at_buffer s) b then alike b (at_coord s) c else false.
Variable initial : buffer -> coord -> option value.
Fixpoint memory (t : nat) (b : buffer) (c : coord) : option value :=
  match t with
  | 0 => initial b c
  | S t => match step t with
           | Some s => if touches s b c then written s else memory t b c
           | None => memory t b c
           end
  end.
Hypothesis run_load : forall l, loaded l = memory (looks l) (from_buffer l) (from_coord l).

(** * The specification *)
Variable kind_of : buffer -> kind.
Variable stage : version -> nat.
(** The order of versions. *)
Variable earlier : version -> version -> Prop.
(** That the specification has an instance with this version that writes the location, and the value
    that it writes. *)
Variable instance : buffer -> coord -> version -> Prop.
Variable specified : buffer -> coord -> version -> value.
Variable final_value : buffer -> coord -> value.
Variable value_before : buffer -> coord -> version -> value.
Definition last_of (among : version -> Prop) (v : version) : Prop :=
  among v /\ forall u, among u -> u = v \/ earlier u v.
Hypothesis spec_total : forall u v, earlier u v \/ u = v \/ earlier v u.
Hypothesis spec_stages : forall u v, earlier u v -> stage u <= stage v.
Hypothesis spec_transitive : forall u v w, earlier u v -> earlier v w -> earlier u w.
(** The instances that write a location have a first one. *)
Hypothesis spec_well_founded : forall b c, well_founded (fun u v => instance b c u /\ earlier u v).
Hypothesis spec_single :
  forall b c u v, kind_of b = Single -> instance b c u -> instance b c v -> u = v.
Hypothesis spec_input : forall b c, kind_of b = Input -> initial b c = Some (final_value b c).
(** The lexicographic predecessor. *)
Hypothesis spec_final : forall b c v, last_of (instance b c) v -> final_value b c = specified b c v.
Hypothesis spec_before :
  forall b c v u, last_of (fun u => instance b c u /\ earlier u v) u ->
  value_before b c v = specified b c u.
Hypothesis spec_has_final : forall b c, kind_of b <> Input -> exists v, last_of (instance b c) v.
Hypothesis spec_has_before :
  forall b c v, 0 < stage v -> exists u, last_of (fun u => instance b c u /\ earlier u v) u.
(** Update instances that write the value that is there already. *)
Variable unchanged : buffer -> coord -> version -> Prop.
Hypothesis spec_unchanged :
  forall b c v, unchanged b c v -> kind_of b = Updated /\ 0 < stage v
  /\ specified b c v = value_before b c v.

(** * Labels *)
(** The buffers of the label's func at its place. *)
Variable holds : label -> buffer -> Prop.
(** Where the label owes a stage right values, and where it promises final ones. *)
Variable region : label -> nat -> coord -> Prop.
Variable promised : label -> coord -> Prop.
(** The label instances that a label instance may take locations over from. *)
Variable carries : label -> label -> Prop.
Definition kept (p : label) (c : coord) : Prop := exists q, carries p q /\ promised q c.
Definition good (s : store) : Prop := region (label_of s) (stage (claim s)) (at_coord s).

Definition claimed (l : load) : value :=
  match own l with
  | Some r => value_before (from_buffer l) (from_coord l) (of_version r)
  | None => final_value (from_buffer l) (from_coord l)
  end.
(** A load matters that an index, a bound or a condition uses, or a good store whose selections
    choose it. *)
Variable matters : load -> Prop.
(** Loads in conditions around updates of the func that they read. *)
Variable decides : load -> Prop.
Variable window : buffer -> coord -> Prop.

(** Who relies on what a label promised: a load after it, a label that takes a location over, the
    caller. *)
Definition relies (e : event) (p : label) (b : buffer) (c : coord) : Prop :=
  holds p b /\ promised p c /\
  match e with
  | Store _ => False
  | Load l => from_buffer l = b /\ from_coord l = c /\ before (Label p) e
  | Label q => carries q p /\ holds q b /\ promised q c
  | Finish => window b c
  end.
Definition under (s : store) (e : event) : Prop :=
  match e with Label p => label_of s = p | _ => False end.

(** * The obligations *)
Hypothesis form_inputs : forall p b, holds p b -> kind_of b <> Input.
Hypothesis bounds_inputs : forall s, kind_of (at_buffer s) <> Input.
Hypothesis claim_shown : forall s, good s -> instance (at_buffer s) (at_coord s) (claim s).
Hypothesis value_shown : forall s, good s ->
  (forall l, matters l -> looks l <= when s -> loaded l = Some (claimed l)) ->
  written s = Some (specified (at_buffer s) (at_coord s) (claim s)).

(** [Witness.witness]. *)
Hypothesis coverage : forall p b c v, holds p b -> region p (stage v) c -> instance b c v ->
  (exists s, label_of s = p /\ at_buffer s = b /\ at_coord s = c /\ claim s = v) \/ kept p c
  \/ unchanged b c v.
Hypothesis coverage_nested : forall p j k c, j <= k -> region p k c -> region p j c.
Hypothesis coverage_needed : forall p k c, promised p c -> region p k c.
Hypothesis coverage_carry :
  forall p q, carries p q -> before (Label q) (Label p) /\ forall b, holds p b -> holds q b.
(** Conditions are formulas of integer arithmetic. *)
Hypothesis coverage_decided : forall p c, kept p c \/ ~ kept p c.

Hypothesis definedness : forall l, matters l ->
  match own l with
  | None => kind_of (from_buffer l) = Input
      \/ exists p, relies (Load l) p (from_buffer l) (from_coord l)
  | Some r => holds (of_label r) (from_buffer l) /\ kind_of (from_buffer l) = Updated
      /\ 0 < stage (of_version r)
      /\ begins (of_label r) <= looks l /\ region (of_label r) (stage (of_version r)) (from_coord l)
  end.
(** A load of the func that is updated is of a condition, or of a store that runs. *)
Hypothesis definedness_own : forall l r, matters l -> own l = Some r -> decides l \/
  exists s, good s /\ label_of s = of_label r /\ claim s = of_version r /\ at_buffer s = of_buffer r
  /\ at_coord s = of_coord r /\ looks l <= when s.

(** Funcs with one stage: nothing promised is overwritten with what need not be right. *)
Hypothesis order_single :
  forall s p, kind_of (at_buffer s) = Single -> holds p (at_buffer s) -> promised p (at_coord s) ->
  good s \/ before (Store s) (Label p).
(** Funcs with updates: writes to one location come in the order of their versions, *)
Hypothesis order_writes :
  forall s u, kind_of (at_buffer s) = Updated -> label_of s = label_of u ->
  at_buffer s = at_buffer u -> at_coord s = at_coord u ->
  good s -> earlier (claim s) (claim u) -> before (Store s) (Store u).
(** no update instance runs twice, *)
Hypothesis order_once :
  forall s u, kind_of (at_buffer s) = Updated -> label_of s = label_of u ->
  at_buffer s = at_buffer u -> at_coord s = at_coord u ->
  good s -> claim s = claim u -> 0 < stage (claim s) -> s = u.
(** reads come after the writes of earlier versions and before those of later ones, *)
Definition beside (l : load) (r : reader) (s : store) : Prop :=
  matters l /\ own l = Some r /\ label_of s = of_label r /\ at_buffer s = from_buffer l
  /\ at_coord s = from_coord l.
Hypothesis order_read_after :
  forall l r s, beside l r s -> earlier (claim s) (of_version r) -> before (Store s) (Load l).
Hypothesis order_read_before :
  forall l r s, beside l r s -> earlier (of_version r) (claim s) -> before (Load l) (Store s).
(** those of conditions, and of other components, before the instance itself, *)
Hypothesis order_read_own :
  forall l r s, beside l r s -> claim s = of_version r ->
  decides l \/ from_buffer l <> of_buffer r -> before (Load l) (Store s).
(** and instances at one point do not touch each other's locations. *)
Hypothesis order_own_dimensions : forall l r, matters l -> own l = Some r ->
  instance (from_buffer l) (from_coord l) (of_version r) -> from_coord l = of_coord r.

(** (a) Under a label, an element that a store touches belongs to no other coordinate that the label
    owes. *)
Hypothesis retention_under :
  forall s c, region (label_of s) 0 c -> touches s (at_buffer s) c = true -> at_coord s = c.
(** (b), (c) No store that may run between a label and who relies on it touches what is relied on,
    but at the same coordinates; *)
Hypothesis retention_single :
  forall e p b c s, kind_of b = Single -> relies e p b c -> touches s b c = true ->
  before (Store s) (Label p) \/ label_of s = p \/ under s e \/ before e (Store s) \/ at_coord s = c.
(** (b'), (c'): not even there, for funcs with updates. Under the label that the stores stand under
    this follows from the paths and, for unordered iterations, from [race], which allows for
    initialisations of locations that no update writes. *)
Hypothesis retention_updated :
  forall e p b c s, kind_of b = Updated -> relies e p b c -> touches s b c = true ->
  before (Store s) (Label p) \/ label_of s = p \/ under s e \/ before e (Store s)
  \/ at_coord s = c /\ good s /\ last_of (instance b c) (claim s).
(** (d), (e) What is taken over is final. *)
Hypothesis retention_final :
  forall s, kind_of (at_buffer s) = Updated -> good s -> ~ kept (label_of s) (at_coord s).
Hypothesis retention_read :
  forall l r, matters l -> own l = Some r -> ~ kept (of_label r) (from_coord l).
(** Where an update reads, no other instance of its label writes at that time, but what is there
    already. *)
Hypothesis race_read :
  forall l r s, matters l -> own l = Some r -> touches s (from_buffer l) (from_coord l) = true ->
  label_of s = of_label r \/ before (Store s) (Label (of_label r)) \/ before (Load l) (Store s)
  \/ at_coord s = from_coord l /\ good s
      /\ last_of (fun u => instance (from_buffer l) (from_coord l) u
        /\ earlier u (of_version r)) (claim s).
Hypothesis output : forall b c, window b c -> exists p, holds p b /\ promised p c.

(** * The proof *)
Definition right (s : store) : Prop :=
  written s = Some (specified (at_buffer s) (at_coord s) (claim s)).
Definition right_until (t : nat) : Prop := forall s, when s < t -> good s -> right s.

Lemma touches_own s : touches s (at_buffer s) (at_coord s) = true.
Proof.
  unfold touches. destruct (buffer_equal (at_buffer s) (at_buffer s)); [apply location|congruence].
Qed.

Lemma touches_buffer s b c : touches s b c = true -> at_buffer s = b.
Proof. unfold touches. destruct (buffer_equal (at_buffer s) b); [auto|discriminate]. Qed.

Lemma memory_written s b c : touches s b c = true -> memory (S (when s)) b c = written s.
Proof.
  intros touch. simpl. replace (step (when s)) with (Some s) by (symmetry; now apply run_step).
  now rewrite touch.
Qed.

Lemma memory_stays b c v t u :
  t <= u -> memory t b c = Some v ->
  (forall s, touches s b c = true -> t <= when s -> when s < u -> written s = Some v) ->
  memory u b c = Some v.
Proof.
  induction 1 as [|u later IH]; intros there writes; [assumption|].
  simpl. assert (memory u b c = Some v) as still by (apply IH; auto).
  destruct (step u) as [s|] eqn:now; [|assumption].
  apply run_step in now. destruct (touches s b c) eqn:touch; [|assumption]. apply writes; auto; lia.
Qed.

Lemma memory_input b c t : kind_of b = Input -> memory t b c = Some (final_value b c).
Proof.
  intros input. apply memory_stays with (t := 0); [lia|now apply spec_input|].
  intros s touch _ _. apply touches_buffer in touch. subst b. now apply bounds_inputs in input.
Qed.

Lemma relied_after e p b c : relies e p b c -> ends p <= start e.
Proof.
  intros (_ & _ & by_whom). destruct e as [s|l|q|].
  - contradiction.
  - destruct by_whom as (_ & _ & order). now apply run_admits in order.
  - destruct by_whom as (carry & _ & _). apply coverage_carry in carry. destruct carry as [order _].
    now apply run_admits in order.
  - apply run_label.
Qed.

Lemma start_finish e : start e <= finish e.
Proof. destruct e; simpl; try lia. pose proof (run_label p). lia. Qed.

Lemma final_is b c v : kind_of b = Single -> instance b c v -> final_value b c = specified b c v.
Proof.
  intros single here. apply spec_final. split; [assumption|]. intros u there. left.
  eapply spec_single; eauto.
Qed.

(** Before an instance that need not run, one has run that leaves the same value, and every instance
    in between leaves it too. *)
Theorem covered :
  forall p b c, holds p b -> ~ kept p c -> forall v, (forall k, k <= stage v -> region p k c) ->
  instance b c v ->
  exists s, label_of s = p /\ at_buffer s = b /\ at_coord s = c
  /\ (claim s = v \/ earlier (claim s) v)
    /\ specified b c v = specified b c (claim s)
    /\ forall w, instance b c w -> w = v \/ earlier w v ->
    earlier w (claim s) \/ specified b c w = specified b c (claim s).
Proof.
  intros p b c holding fresh v.
  induction v as [v IH] using (well_founded_induction (spec_well_founded b c)). intros regions here.
  destruct (coverage p b c v holding (regions _ (le_n _)) here)
    as [(s & own_label & in_b & at_c & version_v)|[keeps|same]]; [|contradiction|].
  - exists s. rewrite version_v. repeat split; auto. intros w _ [->|older]; auto.
  - destruct (spec_unchanged _ _ _ same) as (_ & update & value_v).
    destruct (spec_has_before b c v update) as (u & last).
    pose proof (spec_before _ _ _ _ last) as value_is.
    destruct last as [[here_u older_u] greatest].
    destruct (IH u (conj here_u older_u))
      as (s & own_label & in_b & at_c & not_after & value_u & others); auto.
    { intros k small. apply regions. pose proof (spec_stages _ _ older_u). lia. }
    exists s. repeat split; auto.
    + right. destruct not_after as [->|older]; [assumption|]. eapply spec_transitive; eauto.
    + congruence.
    + intros w here_w [->|older]; [right; congruence|]. apply others; auto.
Qed.

(** (2) What a label promises is there when it is relied on. *)
Lemma promise_kept : forall n p e b c,
  begins p < n -> relies e p b c -> right_until (start e) ->
  memory (start e) b c = Some (final_value b c).
Proof.
  induction n as [|n IH]; intros p e b c depth reliance sofar; [lia|].
  pose proof (relied_after _ _ _ _ reliance) as ended. pose proof (run_label p) as [open _].
  pose proof (start_finish e) as spans.
  pose proof reliance as (holding & promise & _).
  (* What was taken over was there when the label began. *)
  assert (forall q, carries p q -> promised q c -> memory (begins p) b c = Some (final_value b c))
    as taken_over.
  { intros q carry promise'. destruct (coverage_carry _ _ carry) as [order same].
    apply run_admits in order. simpl in order.
    pose proof (run_label q). apply (IH q (Label p) b c); [lia| |].
    - repeat split; auto.
    - intros s early. apply sofar. simpl in early. lia. }
  destruct (spec_has_final b c (form_inputs _ _ holding)) as (v & last).
  pose proof last as [here greatest].
  pose proof (spec_final _ _ _ last) as final.
  pose proof (coverage p b c v holding (coverage_needed _ (stage v) _ promise) here)
    as written_or_kept.
  destruct (kind_of b) eqn:what.
  - now apply (form_inputs _ _ holding) in what.
  - (* One stage: whoever writes there is good, in whatever order. *)
    assert (forall s, touches s b c = true -> begins p <= when s -> when s < start e ->
        written s = Some (final_value b c)) as writes.
    { intros s touch late early. pose proof (touches_buffer _ _ _ touch) as in_b.
      assert (at_coord s = c) as at_c.
      { destruct (retention_single e p b c s what reliance touch)
            as [order|[own_label|[below|[order|same]]]]; auto.
        - apply run_admits in order. simpl in order. lia.
        - apply retention_under; [|now rewrite in_b]. rewrite own_label. now apply coverage_needed.
        - destruct e as [?|?|q|]; simpl in below; try contradiction. subst q.
          pose proof (run_under s). simpl in *. lia.
        - apply run_admits in order. simpl in order. lia. }
      assert (good s \/ before (Store s) (Label p)) as [fine|order]
        by (apply order_single; rewrite ?in_b, ?at_c; auto).
      2: { apply run_admits in order. simpl in order. lia. }
      pose proof (claim_shown s fine) as claims. pose proof (sofar s early fine) as as_specified.
      unfold right in as_specified.
      rewrite in_b, at_c in *. rewrite as_specified. f_equal. symmetry. now apply final_is. }
    destruct written_or_kept as [(s & own_label & in_b & at_c & _)|[(q & carry & promise')|same]];
      [| |destruct (spec_unchanged _ _ _ same) as (updated & _); congruence].
    + pose proof (run_under s) as inside. rewrite own_label in inside.
      assert (touches s b c = true) as touch by (rewrite <- in_b, <- at_c; apply touches_own).
      apply memory_stays with (t := S (when s)); [lia| |].
      * rewrite (memory_written _ _ _ touch). apply writes; auto; lia.
      * intros s' touch' late early. apply writes; auto. lia.
    + apply memory_stays with (t := begins p); [lia|eapply taken_over; eauto|exact writes].
  - (* Updates: all writes are the label's own, in the order of versions. *)
    assert (forall s, touches s b c = true -> begins p <= when s -> when s < start e ->
      label_of s = p /\ at_buffer s = b /\ at_coord s = c /\ good s
        \/ written s = Some (final_value b c)) as mine.
    { intros s touch late early. pose proof (touches_buffer _ _ _ touch) as in_b.
      destruct (retention_updated e p b c s what reliance touch)
        as [order|[own_label|[below|[order|(at_c & fine & only)]]]].
      - apply run_admits in order. simpl in order. lia.
      - left. assert (at_coord s = c) as at_c.
        { apply retention_under; [|now rewrite in_b]. rewrite own_label. now apply coverage_needed.
          }
        repeat split; auto. unfold good. rewrite own_label, at_c. now apply coverage_needed.
      - destruct e as [?|?|q|]; simpl in below; try contradiction. subst q.
        pose proof (run_under s). simpl in *. lia.
      - apply run_admits in order. simpl in order. lia.
      - right. pose proof (sofar s early fine) as as_specified. unfold right in as_specified.
        rewrite as_specified, in_b, at_c. f_equal. symmetry. now apply spec_final. }
    destruct (coverage_decided p c) as [keeps|fresh].
    + destruct keeps as (q & carry & promise').
      apply memory_stays with (t := begins p); [lia|eapply taken_over; eauto|].
      intros s touch late early.
      destruct (mine s touch late early) as [(own_label & in_b & at_c & fine)|same]; [|assumption].
      exfalso. apply (retention_final s); [now rewrite in_b|assumption|]. rewrite own_label, at_c.
      exists q. auto.
    + destruct (covered p b c holding fresh v ltac:(intros; now apply coverage_needed) here)
        as (s & own_label & in_b & at_c & _ & value_v & others).
      pose proof (run_under s) as inside. rewrite own_label in inside.
      assert (touches s b c = true) as touch by (rewrite <- in_b, <- at_c; apply touches_own).
      assert (good s) as fine by (unfold good; rewrite own_label, at_c; now apply coverage_needed).
      pose proof (sofar s ltac:(lia) fine) as as_specified. unfold right in as_specified.
      rewrite in_b, at_c, <- value_v in as_specified.
      apply memory_stays with (t := S (when s)); [lia| |].
      * rewrite (memory_written _ _ _ touch), final. assumption.
      * intros u touch' late early.
        destruct (mine u touch') as [(own_label' & in_b' & at_c' & fine')|same];
          [lia|lia| |assumption].
        pose proof (claim_shown u fine') as claims. rewrite in_b', at_c' in claims.
        destruct (others _ claims (greatest _ claims)) as [older|same].
        2: { pose proof (sofar u early fine') as as_specified'. unfold right in as_specified'.
        rewrite in_b', at_c', same, <- value_v in as_specified'. now rewrite final. }
        -- exfalso.
           assert (before (Store u) (Store s)) as order
             by (apply order_writes; rewrite ?in_b'; congruence).
           apply run_admits in order. simpl in order. lia.
Qed.

(** What an update reads of its own func is the value before it. *)
Lemma replay l r :
  matters l -> own l = Some r -> right_until (looks l) ->
  memory (looks l) (from_buffer l) (from_coord l)
  = Some (value_before (from_buffer l) (from_coord l) (of_version r)).
Proof.
  intros matter by_r sofar.
  pose proof (definedness l matter) as defined. rewrite by_r in defined.
  destruct defined as (holding & what & update & opened & inside).
  set (b := from_buffer l) in *. set (c := from_coord l) in *. set (v := of_version r) in *.
  set (p := of_label r) in *.
  destruct (spec_has_before b c v update) as (u & last). pose proof last as [[here older] greatest].
  pose proof (spec_before _ _ _ _ last) as value_is.
  assert (forall k, k <= stage v -> region p k c) as regions
    by (intros; eapply coverage_nested; eauto).
  assert (~ kept p c) as fresh by (intros keeps; now apply (retention_read l r) in keeps).
  assert (forall k, k <= stage u -> region p k c) as regions_u
    by (intros; apply regions; pose proof (spec_stages _ _ older); lia).
  destruct (covered p b c holding fresh u regions_u here)
    as (s & own_label & in_b & at_c & not_after & value_u & others).
  assert (earlier (claim s) v) as older_s
    by (destruct not_after as [->|?]; [assumption|eapply spec_transitive; eauto]).
  assert (beside l r s) as near by (repeat split; auto).
  assert (when s < looks l) as done.
  { assert (before (Store s) (Load l)) as order by (apply (order_read_after l r); auto).
    apply run_admits in order. simpl in order. lia. }
  assert (touches s b c = true) as touch by (rewrite <- in_b, <- at_c; apply touches_own).
  assert (good s) as fine
    by (unfold good; rewrite own_label, at_c; apply regions; now apply spec_stages).
  pose proof (sofar s done fine) as as_specified. unfold right in as_specified.
  rewrite in_b, at_c, <- value_u in as_specified.
  rewrite value_is.
  apply memory_stays with (t := S (when s)); [lia|now rewrite (memory_written _ _ _ touch)|].
  intros w touch' late early. pose proof (touches_buffer _ _ _ touch') as in_b'.
  destruct (race_read l r w matter by_r touch')
    as [own_label'|[order|[order|(at_c' & fine' & same)]]].
  2: { apply run_admits in order. simpl in order. pose proof (run_under s) as within.
  rewrite own_label in within. fold p in order. lia. }
  2: { apply run_admits in order. simpl in order. lia. }
  2: { pose proof (sofar w early fine') as as_specified'. unfold right in as_specified'.
       rewrite as_specified', in_b', at_c'. f_equal. rewrite <- value_is. symmetry.
       now apply spec_before. }
  fold p in own_label'.
  assert (at_coord w = c) as at_c'.
  { apply retention_under; [|now rewrite in_b']. rewrite own_label'. apply regions. lia. }
  assert (beside l r w) as near' by (repeat split; auto).
  destruct (spec_total (claim w) v) as [past|[equal|future]].
  - assert (good w) as fine'
      by (unfold good; rewrite own_label', at_c'; apply regions; now apply spec_stages).
    pose proof (claim_shown w fine') as claims. rewrite in_b', at_c' in claims.
    destruct (others _ claims (greatest (claim w) (conj claims past))) as [before_u|same].
    2: { pose proof (sofar w early fine') as as_specified'. unfold right in as_specified'.
    now rewrite in_b', at_c', same, <- value_u in as_specified'. }
    + exfalso.
      assert (before (Store w) (Store s)) as order
        by (apply order_writes; rewrite ?in_b'; congruence).
      apply run_admits in order. simpl in order. lia.
  - exfalso. assert (before (Load l) (Store w) \/ looks l <= when w) as [order|order].
    { destruct (definedness_own l r matter by_r)
          as [deciding|(x & fine_x & label_x & claim_x & buffer_x & coord_x & after)].
      - left. apply (order_read_own l r); auto.
      - destruct (buffer_equal (from_buffer l) (of_buffer r)) as [mine|other];
          [|left; apply (order_read_own l r); auto].
        right. assert (good w) as fine'
          by (unfold good; rewrite own_label', at_c', equal; now apply regions).
        pose proof (claim_shown w fine') as claims. rewrite in_b', at_c', equal in claims.
        pose proof (order_own_dimensions l r matter by_r claims) as itself.
        assert (x = w) as ->; [|assumption].
        unfold b, c, v, p in *. apply order_once; congruence. }
    + apply run_admits in order. simpl in order. lia.
    + lia.
  - exfalso. assert (before (Load l) (Store w)) as order by (apply (order_read_before l r); auto).
    apply run_admits in order. simpl in order. lia.
Qed.

Lemma read_right l : matters l -> right_until (looks l) -> loaded l = Some (claimed l).
Proof.
  intros matter sofar. rewrite run_load. unfold claimed. destruct (own l) as [r|] eqn:by_whom.
  - now apply replay.
  - pose proof (definedness l matter) as defined. rewrite by_whom in defined.
    destruct defined as [input|(p & reliance)]; [now apply memory_input|].
    apply (promise_kept (S (begins p)) p (Load l)); auto.
Qed.

(** (1) *)
Lemma stores_right : forall t, right_until t.
Proof.
  induction t as [|t IH]; intros s early fine; [lia|].
  destruct (Nat.eq_dec (when s) t) as [now|past]; [|apply IH; [lia|assumption]].
  apply value_shown; [assumption|]. intros l matter seen. apply read_right; [assumption|].
  intros u before_l. apply IH. lia.
Qed.

(** The theorem: loads that matter, and so all indices, bounds and conditions, are as claimed; good
    stores are as specified; outputs hold what the algorithm says. *)
Theorem validated :
  (forall l, matters l -> loaded l = Some (claimed l))
  /\ (forall s, good s -> written s = Some (specified (at_buffer s) (at_coord s) (claim s)))
  /\ (forall b c, window b c -> memory the_end b c = Some (final_value b c)).
Proof.
  repeat split.
  - intros l matter. apply read_right; [assumption|apply stores_right].
  - intros s fine. apply (stores_right (S (when s))); [lia|assumption].
  - intros b c wanted. destruct (output b c wanted) as (p & holding & promise).
    apply (promise_kept (S (begins p)) p Finish); [lia| |apply stores_right]. repeat split; auto.
Qed.

(** * Races *)
(** Two iterations of an unordered loop do not interfere: two writes of one element write one value,
    and what one reads and another writes, it wrote before itself. *)
Variable iteration : Type.
Variable within : store -> iteration -> Prop.
(** Unordered iterations. *)
Variable apart : iteration -> iteration -> Prop.
Hypothesis race_stores :
  forall s u i j b c, apart i j -> within s i -> within u j -> touches s b c = true ->
  touches u b c = true ->
  at_buffer s = b -> good s /\ good u /\ at_coord s = at_coord u /\ claim s = claim u.
(** The label that a load relies on stands in the load's own iteration, and does not take the
    location over. *)
Variable read_within : load -> iteration -> Prop.
Hypothesis race_loads :
  forall l u i j, apart i j -> read_within l i -> within u j ->
  touches u (from_buffer l) (from_coord l) = true ->
  exists p, relies (Load l) p (from_buffer l) (from_coord l) /\ ~ kept p (from_coord l)
  /\ forall s, label_of s = p -> within s i.

Theorem race_free :
  (forall s u i j b c, apart i j -> within s i -> within u j -> touches s b c = true ->
    touches u b c = true -> written s = written u)
  /\ (forall l u i j, apart i j -> read_within l i -> within u j ->
    touches u (from_buffer l) (from_coord l) = true ->
      exists s, within s i /\ touches s (from_buffer l) (from_coord l) = true /\ when s < looks l).
Proof.
  split.
  - intros s u i j b c unordered in_i in_j touch touch'.
    pose proof (touches_buffer _ _ _ touch) as in_b.
    pose proof (touches_buffer _ _ _ touch') as in_b'.
    destruct (race_stores s u i j b c) as (fine & fine' & same & version_same); auto.
    destruct validated as (_ & stored & _). rewrite (stored s fine), (stored u fine'). congruence.
  - intros l u i j unordered in_i in_j touch.
    destruct (race_loads l u i j) as (p & reliance & fresh & inside); auto.
    pose proof (relied_after _ _ _ _ reliance) as ended.
    pose proof reliance as (holding & promise & _).
    destruct (spec_has_final (from_buffer l) (from_coord l) (form_inputs _ _ holding))
      as (v & here & _).
    destruct (covered p _ _ holding fresh v ltac:(intros; now apply coverage_needed) here)
      as (s & own_label & in_b & at_c & _).
    exists s. split; [now apply inside|]. split; [rewrite <- in_b, <- at_c; apply touches_own|].
    pose proof (run_under s). rewrite own_label in *. simpl in ended. lia.
Qed.
End Run.

(** * The hypotheses can hold *)
(** One location that is initialised with 7 and then, by an update that reads it, set to 8; in a
    window. *)
Section Example.
Let when (s : bool) : nat := if s then 3 else 1.
Let looks (l : unit) : nat := 2.
Let begins (p : unit) : nat := 0.
Let ends (p : unit) : nat := 4.
Let order (a b : event bool unit unit) : Prop :=
  finish bool unit unit when looks ends 5 a <= start bool unit unit when looks begins 5 b.
Let at_time (t : nat) : option bool :=
  match t with 1 => Some false | 3 => Some true | _ => None end.
Let one (a b : unit) : {a = b} + {a <> b} := left match a, b with tt, tt => eq_refl end.

Theorem not_vacuous :
  memory bool unit unit nat (fun _ => tt) (fun _ => tt)
  (fun s => Some (if s then 8 else 7)) at_time one (fun _ _ _ => true) (fun _ _ => None) 5 tt tt
  = Some 8.
Proof.
  refine (proj2
      (proj2 (validated bool unit unit unit unit nat nat (fun _ => tt) (fun _ => tt)
      (fun s : bool => if s then 1 else 0) (fun _ => tt)
    (fun s : bool => Some (if s then 8 else 7)) (fun _ => tt) (fun _ => tt) (fun _ => Some 7)
    (fun _ => Some (Reader unit nat unit unit tt 1 tt tt))
    when looks begins ends 5 at_time _ _ _ order _ one (fun _ _ _ => true) _ (fun _ _ => None) _
    (fun _ => Updated) (fun v => v) lt (fun _ _ v => v <= 1) (fun _ _ v => 7 + v) (fun _ _ => 8)
    (fun _ _ v => if v <=? 1 then 7 else 8) _ _ _ _ _ _ _ _ _ _ (fun _ _ _ => False) _
    (fun _ _ => True) (fun _ _ _ => True) (fun _ _ => True) (fun _ _ => False) (fun _ => True)
    (fun _ => False) (fun _ _ => True)
    _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _)) tt tt I);
  unfold order, when, looks, begins, ends, last_of, kept, good, relies, beside, claimed in *; simpl.
  all: try solve [intros; repeat match goal with x : bool |- _ => destruct x
      | x : unit |- _ => destruct x end; simpl in *;
    intuition (try discriminate; try lia; eauto)].
  - intros [|[|[|[|t]]]] []; simpl; split; intros; try discriminate; try lia; reflexivity.
  - intros _ _ v. induction v as [v IH] using lt_wf_ind. constructor. intros u [_ less].
    now apply IH.
  - intros _ _ v [small last]. destruct (last 1); lia.
  - intros _ _ v u [[small below] last]. destruct (Nat.leb_spec v 1); [lia|].
    destruct (last 1); lia.
  - intros _ _ _. exists 1. split; intros; lia.
  - intros _ _ v update. exists (if v <=? 1 then 0 else 1).
    destruct (Nat.leb_spec v 1); repeat split; intros; lia.
  - intros [] [] [] [|[|v]] _ _ small; [left; exists false|left; exists true|lia]; repeat split;
      reflexivity.
  - intros _ _. right. intros [_ [[] _]].
  - intros _ r _ it. injection it as <-. right. exists true. repeat split. simpl. lia.
  - intros _ r s (_ & it & _) older. injection it as <-. destruct s; simpl in *; lia.
  - intros _ r s (_ & it & _) same. injection it as <-. destruct s; simpl in *; lia.
  - intros _ r _ it _. injection it as <-. reflexivity.
  - intros _ _ _ [_ [[] _]].
  - intros _ r _ it [_ [[] _]].
  - intros _ r s _ it _. injection it as <-. now left.
  - intros _ _ _. now exists tt.
Qed.
End Example.
