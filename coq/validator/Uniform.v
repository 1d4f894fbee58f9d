(** Uniform funcs of docs/validator.md: where right values need not be the same bits, each location
    has one value all the same (crates/validate/src/obligation/uniform.rs).

    What is given is one run, as in Promise.v: the instances of stores, loads and labels, each with
    its time. Only memory of uniform funcs is looked at, and these have one stage; what else a
    store's value is computed from is right bit for bit (Promise.v), and is part of [computes]. Each
    hypothesis is named after the kind of obligation that shows it; those named [run_] say what a
    run is. *)
From Coq Require Import Arith Lia.

Section Run.
(** Buffers are lifetimes of buffers, each of one component of a func: [func] is a func with a
    component. *)
Variables store load label buffer func coord value : Type.
Inductive event := Store (s : store) | Load (l : load) | Label (p : label).

(** * The run *)
Variable at_buffer : store -> buffer.
Variable at_coord : store -> coord.
Variable label_of : store -> label.
(** [None]: an undefined value. *)
Variable written : store -> option value.
Variable from_buffer : load -> buffer.
Variable from_coord : load -> coord.
Variable loaded : load -> option value.

Variable when : store -> nat.
Variable looks : load -> nat.
Variables begins ends : label -> nat.
Definition start (e : event) : nat :=
  match e with Store s => when s | Load l => looks l | Label p => begins p end.
Definition finish (e : event) : nat :=
  match e with Store s => S (when s) | Load l => looks l | Label p => ends p end.

Variable step : nat -> option store.
Hypothesis run_step : forall t s, step t = Some s <-> when s = t.
Hypothesis run_label : forall p, begins p < ends p.
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

(** * Labels *)
(** The buffers of the label's func at its place, and where it promises right values. *)
Variable holds : label -> buffer -> Prop.
Variable promised : label -> coord -> Prop.
(** The label instances that a label instance may take locations over from. *)
Variable carries : label -> label -> Prop.
Definition kept (p : label) (c : coord) : Prop := exists q, carries p q /\ promised q c.
(** That the label of a store owes a right value where it writes. *)
Variable good : store -> Prop.

Definition relies (e : event) (p : label) (b : buffer) (c : coord) : Prop :=
  holds p b /\ promised p c /\
  match e with
  | Store _ => False
  | Load l => from_buffer l = b /\ from_coord l = c /\ before (Label p) e
  | Label q => carries q p /\ holds q b /\ promised q c
  end.
Definition under (s : store) (e : event) : Prop :=
  match e with Label p => label_of s = p | _ => False end.

(** * The obligations *)
(** Of funcs with one stage, those of Promise.v. *)
Hypothesis coverage : forall p b c, holds p b -> promised p c ->
  (exists s, label_of s = p /\ at_buffer s = b /\ at_coord s = c) \/ kept p c.
Hypothesis coverage_carry :
  forall p q, carries p q -> before (Label q) (Label p) /\ forall b, holds p b -> holds q b.
Hypothesis order_single : forall s p, holds p (at_buffer s) -> promised p (at_coord s) ->
  good s \/ before (Store s) (Label p).
Hypothesis retention_under :
  forall s c, promised (label_of s) c -> touches s (at_buffer s) c = true -> at_coord s = c.
Hypothesis retention_single : forall e p b c s, relies e p b c -> touches s b c = true ->
  before (Store s) (Label p) \/ label_of s = p \/ under s e \/ before e (Store s) \/ at_coord s = c.

(** The loads of uniform funcs that a store's value is computed from and whose selections are
    chosen. *)
Variable uses : store -> load -> Prop.
Hypothesis run_uses : forall s l, uses s l -> looks l <= when s.
Hypothesis definedness :
  forall s l, good s -> uses s l -> exists p, relies (Load l) p (from_buffer l) (from_coord l).

(** The stored value, if uniform funcs have these values. *)
Variable func_of : buffer -> func.
Variable computes : store -> (func -> coord -> value) -> value.
Hypothesis run_value : forall s values, good s ->
  (forall l, uses s l -> loaded l = Some (values (func_of (from_buffer l)) (from_coord l))) ->
  written s = Some (computes s values).
(** What is asked of a uniform func: any two good instances at one location, in any iterations,
    store one value, whatever uniform funcs' values are. *)
Definition meet (s u : store) : Prop :=
  func_of (at_buffer s) = func_of (at_buffer u) /\ at_coord s = at_coord u.
Hypothesis race_alike :
  forall s u, good s -> good u -> meet s u -> forall values, computes s values = computes u values.

(** Conditions are formulas of integer arithmetic, and there are floats. *)
Hypothesis run_decided : forall s, good s \/ ~ good s.
Variable func_equal : forall f g : func, {f = g} + {f <> g}.
Variable coord_equal : forall c d : coord, {c = d} + {c <> d}.
Variable zero : value.

(** * The proof *)
Lemma touches_own s : touches s (at_buffer s) (at_coord s) = true.
Proof.
  unfold touches. destruct (buffer_equal (at_buffer s) (at_buffer s)); [apply location|congruence].
Qed.

Lemma touches_buffer s b c : touches s b c = true -> at_buffer s = b.
Proof. unfold touches. destruct (buffer_equal (at_buffer s) b); [auto|discriminate]. Qed.

Lemma start_finish e : start e <= finish e.
Proof. destruct e; simpl; try lia. pose proof (run_label p). lia. Qed.

(** What is there was written by a good store at these coordinates. *)
Definition settled (t : nat) (b : buffer) (c : coord) : Prop :=
  exists s, good s /\ at_buffer s = b /\ at_coord s = c /\ when s < t /\ memory t b c = written s.

Lemma settled_by s : good s -> settled (S (when s)) (at_buffer s) (at_coord s).
Proof.
  intros fine. exists s. repeat split; auto. simpl.
  replace (step (when s)) with (Some s) by (symmetry; now apply run_step). now rewrite touches_own.
Qed.

Lemma settled_stays b c t u :
  t <= u -> settled t b c ->
  (forall s, touches s b c = true -> t <= when s -> when s < u -> good s /\ at_coord s = c) ->
  settled u b c.
Proof.
  induction 1 as [|u later IH]; intros there writes; [assumption|].
  destruct IH as (s & fine & in_b & at_c & early & holds_it);
    [assumption|intros; apply writes; auto; lia|].
  destruct (step u) as [w|] eqn:now; [destruct (touches w b c) eqn:touch|].
  - apply run_step in now. subst u. pose proof (touches_buffer _ _ _ touch) as same.
    destruct (writes w touch later) as [fine' at_c']; [lia|]. rewrite <- same, <- at_c'.
    now apply settled_by.
  - exists s. repeat split; auto. simpl. now rewrite now, touch.
  - exists s. repeat split; auto. simpl. now rewrite now.
Qed.

Lemma promise_settled : forall n p e b c, begins p < n -> relies e p b c -> settled (start e) b c.
Proof.
  induction n as [|n IH]; intros p e b c small reliance; [lia|].
  pose proof reliance as (holding & promise & by_whom).
  assert (ends p <= start e) as ended.
  { destruct e as [s|l|q]; [contradiction| |].
    - destruct by_whom as (_ & _ & order). now apply run_admits in order.
    - destruct by_whom as (carry & _ & _). apply coverage_carry in carry.
      destruct carry as [order _]. now apply run_admits in order. }
  assert (forall s, touches s b c = true -> begins p <= when s -> when s < start e ->
      good s /\ at_coord s = c) as writes.
  { intros s touch late early. pose proof (touches_buffer _ _ _ touch) as in_b.
    assert (at_coord s = c) as at_c.
    { destruct (retention_single e p b c s reliance touch) as [order|[own|[below|[order|same]]]];
          [| | | |assumption].
      - apply run_admits in order. simpl in order. lia.
      - apply retention_under; rewrite ?own, ?in_b; assumption.
      - destruct e as [|l|q]; simpl in below; try contradiction. subst q. pose proof (run_under s).
        simpl in early. lia.
      - apply run_admits in order. simpl in order. pose proof (start_finish e). lia. }
    split; [|assumption].
    assert (good s \/ before (Store s) (Label p)) as [fine|order]
      by (apply order_single; rewrite ?in_b, ?at_c; assumption); [assumption|].
    apply run_admits in order. simpl in order. lia. }
  destruct (coverage p b c holding promise) as [(s & own & in_b & at_c)|(q & carry & promise')].
  - pose proof (run_under s) as inside. rewrite own in inside.
    assert (good s \/ before (Store s) (Label p)) as [fine|order]
      by (apply order_single; rewrite ?in_b, ?at_c; assumption).
    2: { apply run_admits in order. simpl in order. lia. }
    apply settled_stays with (t := S (when s)); [lia| |].
    + rewrite <- in_b, <- at_c. now apply settled_by.
    + intros w touch late early. apply writes; auto. lia.
  - pose proof (coverage_carry p q carry) as [order memories]. apply run_admits in order.
    simpl in order.
    pose proof (run_label p). pose proof (run_label q).
    apply settled_stays with (t := begins p); [lia| |exact writes].
    apply (IH q (Label p)); [lia|]. repeat split; auto.
Qed.

Lemma load_settled s l : good s -> uses s l ->
  exists u, good u /\ at_buffer u = from_buffer l /\ at_coord u = from_coord l /\ when u < looks l
  /\ loaded l = written u.
Proof.
  intros fine used. destruct (definedness s l fine used) as (p & reliance).
  destruct (promise_settled (S (begins p)) p (Load l) _ _ ltac:(lia) reliance)
    as (u & fine' & in_b & at_c & early & holds_it).
  exists u. rewrite run_load. repeat split; auto.
Qed.

Lemma met_before t s :
  (exists u, good u /\ when u < t /\ meet u s) \/ (forall u, good u -> when u < t -> ~ meet u s).
Proof.
  induction t as [|t IH]; [right; intros; lia|].
  destruct IH as [(u & fine & early & same)|none]; [left; exists u; auto|].
  assert ((exists u, when u = t /\ good u /\ meet u s)
      \/ (forall u, when u = t -> good u -> ~ meet u s)) as [(u & now & fine & same)|elsewhere].
  { destruct (step t) as [w|] eqn:now; [|right; intros u last; apply run_step in last; congruence].
    assert (forall u, when u = t ->
        u = w) as only by (intros u last; apply run_step in last; congruence).
    apply run_step in now. unfold meet.
    destruct (run_decided w) as [fine|other]; [|right; intros u last; now rewrite (only u last)].
    destruct (func_equal (func_of (at_buffer w)) (func_of (at_buffer s))) as [one|two];
      [|right; intros u last _; rewrite (only u last); tauto].
    destruct (coord_equal (at_coord w) (at_coord s)) as [here|there];
      [|right; intros u last _; rewrite (only u last); tauto].
    left. exists w. auto. }
  - left. exists u. repeat split; try apply same; auto. lia.
  - right. intros u fine early.
    destruct (Nat.eq_dec (when u) t) as [last|past]; [now apply elsewhere|].
    apply none; [assumption|lia].
Qed.

(** By induction over the run: up to any time, there is one value for each location that good stores
    write, and that they load. *)
Lemma values_until : forall t, exists values, forall s, good s -> when s < t ->
  written s = Some (values (func_of (at_buffer s)) (at_coord s))
  /\ written s = Some (computes s values).
Proof.
  induction t as [|t (values & sofar)]; [exists (fun _ _ => zero); intros; lia|].
  assert (forall s, good s -> when s < S t -> written s = Some (computes s values)) as computed.
  { intros s fine early. apply run_value; [assumption|]. intros l used.
    destruct (load_settled s l fine used) as (u & fine' & <- & <- & past & ->).
    pose proof (run_uses s l used). apply sofar; auto; lia. }
  destruct (step t) as [s|] eqn:now.
  2: { exists values. intros s fine early.
  destruct (Nat.eq_dec (when s) t) as [last|past]; [apply run_step in last; congruence|].
  apply sofar; auto; lia. }
  apply run_step in now. destruct (run_decided s) as [fine|other].
  2: { exists values. intros u fine early.
  destruct (Nat.eq_dec (when u) t) as [last|past]; [|apply sofar; auto; lia].
       assert (u = s) as ->; [|contradiction]. apply run_step in last, now. congruence. }
  destruct (met_before t s) as [(u & fine' & early & same)|none].
  - exists values. intros w fine'' early'. split; [|apply computed; auto].
    destruct (Nat.eq_dec (when w) t) as [last|past]; [|apply sofar; auto; lia].
    assert (w = s) as -> by (apply run_step in last, now; congruence).
    rewrite (computed s fine ltac:(lia)), <- (race_alike u s fine' fine same values),
      <- (computed u fine' ltac:(lia)).
    destruct same as [one here]. rewrite <- one, <- here. now apply sofar.
  - set (values' := fun f c =>
      if func_equal f (func_of (at_buffer s)) then if coord_equal c (at_coord s)
        then computes s values else values f c else values f c).
    assert (forall w, good w -> when w < S t ->
        written w = Some (values' (func_of (at_buffer w)) (at_coord w))) as written_there.
    { intros w fine'' early. unfold values'. destruct (Nat.eq_dec (when w) t) as [last|past].
      - assert (w = s) as -> by (apply run_step in last, now; congruence).
        destruct (func_equal _ _); [|congruence]. destruct (coord_equal _ _); [|congruence].
        now apply computed.
      - assert (when w < t) as past' by lia. pose proof (none w fine'' past') as elsewhere.
        unfold meet in elsewhere.
        destruct (func_equal _ _); [destruct (coord_equal _ _); [tauto|]|]; now apply sofar. }
    exists values'. intros w fine'' early. split; [now apply written_there|].
    apply run_value; [assumption|]. intros l used.
    destruct (load_settled w l fine'' used) as (u & fine' & <- & <- & past & ->).
    pose proof (run_uses w l used). apply written_there; auto; lia.
Qed.

(** The theorem: good stores that write one location, in whatever iterations, write one value. *)
Theorem one_value : forall s u, good s -> good u -> meet s u -> written s = written u.
Proof.
  intros s u fine fine' [one here]. destruct (values_until (S (when s + when u))) as (values & all).
  destruct (all s fine ltac:(lia)) as [-> _]. destruct (all u fine' ltac:(lia)) as [-> _].
  now rewrite one, here.
Qed.

(** * Races *)
(** What [Promise.race_free] has of specified values. *)
Variable iteration : Type.
Variable within : store -> iteration -> Prop.
(** Unordered iterations. *)
Variable apart : iteration -> iteration -> Prop.
Hypothesis race_stores :
  forall s u i j b c, apart i j -> within s i -> within u j -> touches s b c = true ->
  touches u b c = true ->
  good s /\ good u /\ at_coord s = at_coord u.
(** The label that a load relies on stands in the load's own iteration, and does not take the
    location over. Nothing in another iteration certainly comes before it. *)
Variable read_within : load -> iteration -> Prop.
Hypothesis race_loads :
  forall l u i j, apart i j -> read_within l i -> within u j ->
  touches u (from_buffer l) (from_coord l) = true ->
  at_coord u = from_coord l
  /\ exists p, relies (Load l) p (from_buffer l) (from_coord l) /\ ~ kept p (from_coord l)
  /\ ~ before (Store u) (Label p) /\ forall s, label_of s = p -> within s i.

(** Two iterations of an unordered loop do not interfere: two writes of one element write one value,
    and what one reads and another writes, it wrote before itself, and it reads what the other
    writes. *)
Theorem race_free :
  (forall s u i j b c, apart i j -> within s i -> within u j -> touches s b c = true ->
    touches u b c = true -> written s = written u)
  /\ (forall l u i j, apart i j -> read_within l i -> within u j ->
    touches u (from_buffer l) (from_coord l) = true ->
      loaded l = written u /\ exists s, within s i
        /\ touches s (from_buffer l) (from_coord l) = true /\ when s < looks l).
Proof.
  split.
  - intros s u i j b c unordered in_i in_j touch touch'.
    destruct (race_stores s u i j b c) as (fine & fine' & same); auto. apply one_value; auto.
    split; [|assumption].
    now rewrite (touches_buffer _ _ _ touch), (touches_buffer _ _ _ touch').
  - intros l u i j unordered in_i in_j touch.
    destruct (race_loads l u i j) as (at_c & p & reliance & fresh & unsure & inside); auto.
    pose proof reliance as (holding & promise & _ & _ & order).
    pose proof (touches_buffer _ _ _ touch) as in_b. split.
    + destruct (promise_settled (S (begins p)) p (Load l) _ _ ltac:(lia) reliance)
        as (s & fine & in_b' & at_c' & _ & there).
      rewrite run_load. simpl in there. rewrite there.
      apply one_value; [assumption| |split; congruence].
      destruct (order_single u p) as [fine'|earlier]; [congruence|congruence|assumption|].
      contradiction.
    + destruct (coverage p _ _ holding promise) as [(s & own & in_b' & at_c')|keeps];
        [|contradiction].
      exists s. split; [now apply inside|]. split; [rewrite <- in_b', <- at_c'; apply touches_own|].
      apply run_admits in order. simpl in order. pose proof (run_under s). rewrite own in *. lia.
Qed.
End Run.

(** * The hypotheses can hold *)
(** Two unordered iterations: each writes 7 to the one location of [g], reads it there, and writes 8
    to the one location of [f]. Of a store the first part is the iteration, the second whether it is
    one to [f]. *)
Section Example.
Let at_buffer (s : bool * bool) : bool := snd s.
Let label_of (s : bool * bool) : option bool := if snd s then None else Some (fst s).
Let written (s : bool * bool) : option nat := Some (if snd s then 8 else 7).
Let when (s : bool * bool) : nat :=
  match s with (false, false) => 1 | (true, false) => 3 | (false, true) => 5
  | (true, true) => 7 end.
Let looks (l : bool) : nat := if l then 6 else 4.
Let begins (p : option bool) : nat := match p with Some true => 2 | _ => 0 end.
Let ends (p : option bool) : nat := match p with Some false => 2 | Some true => 4 | None => 8 end.
Let step (t : nat) : option (bool * bool) :=
  match t with 1 => Some (false, false) | 3 => Some (true, false) | 5 => Some (false, true)
  | 7 => Some (true, true) | _ => None end.
Let order (a b : event (bool * bool) bool (option bool)) : Prop :=
  finish _ _ _ when looks ends a <= start _ _ _ when looks begins b.

Theorem not_vacuous : written (false, true) = written (true, true).
Proof.
  refine (one_value (bool * bool) bool (option bool) bool bool unit nat at_buffer (fun _ =>
      tt) label_of written (fun _ => false) (fun _ => tt)
    (fun _ => Some 7) when looks begins ends step _ _ _ order _ Bool.bool_dec (fun _ _ _ => true) _
    (fun _ _ => None) _
    (fun p b => match p with Some _ => b = false | None => b = true end) (fun _ _ => True)
    (fun _ _ => False) (fun _ => True)
    _ _ _ _ _ (fun s l => s = (l, true)) _ _ (fun b => b)
    (fun s values => if snd s then S (values false tt) else 7) _ _ _
    Bool.bool_dec (fun c d => match c, d with tt, tt => left eq_refl end) 0 (false, true)
      (true, true) I I (conj eq_refl eq_refl));
  unfold order, at_buffer, label_of, written, when, looks, begins, ends, step, kept, relies, meet in
  *; simpl.
  all: try solve [intros; repeat match goal with x : bool |- _ => destruct x
      | x : unit |- _ => destruct x | x : (bool * bool)%type |- _ => destruct x
    | x : option bool |- _ => destruct x end; simpl in *;
          intuition (try discriminate; try lia; eauto)].
  - intros t [[] []];
      do 8 (destruct t as [|t]; [split; intros; try discriminate; try lia; congruence|]); split;
      intros; try discriminate; lia.
  - intros [i|] b [] holding _; left; [exists (i, false)|exists (true, true)]; repeat split; auto.
  - intros s l _ ->. exists (Some l). repeat split; destruct l; simpl; lia.
  - intros [i []] values _ right; simpl; [|reflexivity]. specialize (right i eq_refl). congruence.
Qed.
End Example.
