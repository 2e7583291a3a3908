"""A document: a recipe with its history, and what came of it, told to every page that has it open.

All of it happens in one thread of its own, message after message; what is slow runs in a process
beside it, which can be ended.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from pathlib import Path

from poise.announce import listening
from poise.apps.studio import from_page as asked
from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.drags import Drags
from poise.apps.studio.families import Played
from poise.apps.studio.history import History, Kept
from poise.apps.studio.measuring import measured, observed, with_contacts
from poise.apps.studio.project import Project
from poise.apps.studio.results import save_result
from poise.apps.studio.running import Found, Runner
from poise.apps.studio.saving import exported, save_file
from poise.apps.studio.solver import Solver
from poise.apps.studio.solving import Solution, SolveJob, bug_lines, problem_lines
from poise.apps.studio.wire import Told, told
from poise.character import Character
from poise.errors import BadValue, PoiseError
from poise.formats import load_clip, os_problem, reading_below
from poise.job import Recipe, Subject
from poise.methods import STATUSES

EXPORT_S = 300.0

MOST_ASKED_BYTES = 4_000_000
"""Of messages that wait for the document: behind them pages are not listened to."""

Page = Callable[[Told], None]
"""Takes what a page is told; may be called from any thread."""


class Document:
    """A recipe that is being worked on."""

    def __init__(self, id: str, project: Project, history: History) -> None:
        self.id = id
        self.history = history
        self.project = project
        self._pages: list[Page] = []
        self._figures: Kept[tuple[tuple[str, ...], Told]] = Kept(4, lambda _: 1)
        self._solver = Solver(project.folder, history.folder / "results")
        self._drags = Drags(self._solver, self._tell, self._tell_figure)
        self._runner = Runner(self._run_said)
        self._told: Subject | None = None
        """What pages know of the capture and its place."""
        self._shown: Solution | None = None
        self._played: Played | None = None
        self._runs, self._is_running = 0, False
        """How often pages have asked for one; whether one goes on."""
        self._is_waiting = False
        """Whether pages were told that something slow goes on."""
        self._cancelled_to = 0
        """Runs up to this one are not to be, whether they have begun or not."""
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._exports: set[Future[tuple[bytes, str]]] = set()
        """That somebody waits for."""
        self._asked_bytes = 0
        """Of messages that wait or are worked on."""
        self._thread = threading.Thread(target=self._work, daemon=True, name=f"document {id}")
        self._thread.start()

    # What others call, from any thread.

    def join(self, page: Page) -> None:
        """One more page has it open: tell it everything."""
        self._inbox.put(lambda: self._joined(page))

    def leave(self, page: Page) -> None:
        """A page has closed."""
        self._inbox.put(lambda: self._left(page))

    def ask(self, message: asked.FromPage, bytes: int = 0) -> None:
        """Something that a page wants, in so many bytes."""
        match message:
            case asked.Command(kind="cancel_run"):
                with self._lock:
                    self._cancelled_to = self._runs
                    self._runner.cancel()
            case asked.Command(kind="run_method"):
                with self._lock:
                    self._runs += 1
                    number = self._runs
                self._put(lambda: self._ask_run(number))
            case asked.BeginDrag() | asked.Drag():
                turn = self._drags.turn_for(message)
                if turn is not None:  # of moves that pile up only the last is solved
                    self._inbox.put(lambda: self._drags.solve(turn))
            case _:
                with self._lock:
                    self._asked_bytes += bytes
                self._put(lambda: self._asked(message, bytes))

    @property
    def is_behind(self) -> bool:
        """Whether so much waits that pages are to wait, too."""
        return self._asked_bytes > MOST_ASKED_BYTES

    def _put(self, job: Callable[[], None]) -> None:
        self._drags.end_turn()
        self._inbox.put(job)

    @property
    def is_alone(self) -> bool:
        """Whether no page has it open and nothing runs."""
        return not self._pages and not self._is_running

    def cancel(self) -> None:
        """End what runs, soon; nobody waits for an export any more."""
        self._runner.cancel()
        with self._lock:
            waited_for, self._exports = self._exports, set()
        for export in waited_for:
            with contextlib.suppress(InvalidStateError):  # it is done in this moment
                export.set_exception(PoiseError("The studio is closing: nothing was exported."))

    def close(self) -> None:
        """End what runs; the history is on disk."""
        self._inbox.put(None)
        self._runner.close()

    def exported(self, form: str) -> tuple[bytes, str]:
        """The bytes of a file, after all that was asked for before, and what it is to be called.

        Raises:
            PoiseError: what cannot be had.
        """
        made: Future[tuple[bytes, str]] = Future()

        def export() -> None:
            with contextlib.suppress(InvalidStateError):  # nobody waits for it any more
                try:
                    made.set_result(exported(self, form))
                except Exception as problem:
                    made.set_exception(problem)

        with self._lock:
            self._exports.add(made)
        self._put(export)
        try:
            return made.result(EXPORT_S)
        except TimeoutError:
            raise BadValue("export", "done in time: the document is busy", form) from None
        finally:
            with self._lock:
                self._exports.discard(made)

    def solution(self) -> Solution:
        """The result of the recipe as it is; in the document's own thread.

        Raises:
            PoiseError: what cannot be had.
        """
        found = self._solver.recall(self._solver.read(self.history.recipe))
        if found is None:
            raise PoiseError("There is no result of this recipe yet: run it first.")
        return found

    # In the document's own thread.

    def _work(self) -> None:
        with reading_below(self.project.folder), listening(self._announced):
            while True:
                try:
                    job = self._inbox.get(timeout=self._drags.idle_s)
                except queue.Empty:
                    job = self._drags.tell_physics
                if job is None:
                    return
                try:
                    job()
                except Exception as bug:
                    self._tell(say.Problem(bug_lines(bug), "bug"))
                if self._is_waiting:
                    self._is_waiting = False
                    self._tell(say.Waiting(""))

    def _announced(self, what: str) -> None:
        if threading.current_thread() is not self._thread:
            return
        self._is_waiting = True
        self._tell(say.Waiting(what))

    def _tell(self, *messages: Told | say.FromServer, to: Sequence[Page] | None = None) -> None:
        """To all pages, or to some."""
        for each in messages:
            data = each if isinstance(each, str | bytes) else told(each)
            for page in tuple(self._pages) if to is None else to:
                page(data)

    def _joined(self, page: Page) -> None:
        self._pages.append(page)
        self._drags.start_anew()
        with self._saying_problems("open_document", [page]):
            if not self.history.is_as_left:
                self.history = History.read(self.history.folder)
            self._tell_note(page)
            recipe = self._solver.read(self.history.recipe)
            prepared = self._solver.prepare(recipe)
            if self._told not in (None, prepared):  # its files have changed: news for all
                self._changed(recipe)
                return
            self._tell(*self._of_prepared(recipe, prepared), to=[page])
            self._solver.solve_or_recall(recipe)
            self._show(recipe, page)

    def _tell_note(self, page: Page) -> None:
        """What was found when the document was read; once."""
        if self.history.note:
            note, self.history.note = self.history.note, ""
            self._tell(say.Problem((say.ProblemLine(note, ""),), "open_document"), to=[page])

    def _left(self, page: Page) -> None:
        if page in self._pages:
            self._pages.remove(page)
        if not self._pages:
            self._runner.rest()

    @contextlib.contextmanager
    def _saying_problems(
        self, about: str, to: Sequence[Page] | None = None
    ) -> Generator[None, None, None]:
        try:
            yield
        except PoiseError as problem:
            lines = problem_lines(problem, self.project.folder)
            self._tell(say.Problem(lines, about), self._state(), to=to)

    def _asked(self, message: asked.FromPage, bytes: int) -> None:
        with self._lock:
            self._asked_bytes -= bytes
        with self._saying_problems(message.kind):
            if message.kind in ("edit_recipe", "edit_contacts", "undo", "redo"):
                self._check_ours()
            match message:
                case asked.EditRecipe():
                    self._edit(message.recipe, message.label, message.merge)
                case asked.EditContacts():
                    prepared = self._solver.prepare(self._solver.read(self.history.recipe))
                    recipe = with_contacts(message, self.history, prepared, self.project)
                    self._edit(recipe, message.label)
                case asked.Command(kind="undo" | "redo"):
                    if self.history.go(-1 if message.kind == "undo" else 1):
                        self._changed()
                case asked.Command(kind="end_drag"):
                    self._drags.start_anew()
                    self._tell(say.Forget("live"))
                case asked.Command(kind="ask_measures"):
                    self._tell(measured(self.solution()))
                case asked.BlendFamily():
                    played = self._played_family()
                    self._tell(*played.blended(message.coordinate, message.number))
                case asked.SteerLeap():
                    played = self._played_family()
                    self._tell(played.steered(message.forward, message.turn, message.number))
                case asked.SaveFile():
                    self._tell(save_file(self, message))
                case _:
                    raise BadValue("message", "one for a document", message.kind)

    def _check_ours(self) -> None:
        """Raise where another program has changed the document; pages are shown how it is now."""
        if not self.history.is_as_left:
            self.history = History.read(self.history.folder)
            self._changed()
            raise PoiseError(
                "Another program has changed this document. It is shown as it is now: "
                "do what you wanted again."
            )

    def _played_family(self) -> Played:
        solution = self.solution()
        if solution.family is None:
            raise BadValue("family", "built first: run a recipe with family axes", "none")
        if self._played is None or self._played.family is not solution.family:
            self._played = Played(solution.family, solution.character)
        return self._played

    def _edit(self, plain: Mapping[str, object], label: str, merge: str = "") -> None:
        """Take a new recipe, if it can be had on this clip."""
        recipe = self._solver.read(plain)
        if self._solver.is_quick(recipe):
            self._solver.solve(recipe)
        else:
            self._solver.check(recipe)
            self._runner.warm()
        self.history.add(plain, label, merge)
        self._changed(recipe)

    def _changed(self, recipe: Recipe | None = None) -> None:
        """After the recipe is another: solve it if that is quick, and show what there is."""
        recipe = recipe or self._solver.read(self.history.recipe)
        self._drags.start_anew()
        prepared = self._solver.prepare(recipe)
        if prepared is not self._told:
            self._shown = None  # it was made of another capture
            self._tell(*self._of_prepared(recipe, prepared))
        elif any(step.pattern is not None for step in recipe.steps):
            self._tell_figure(recipe, prepared)
        self._solver.solve_or_recall(recipe)
        self._show(recipe)

    def _of_prepared(self, recipe: Recipe, prepared: Subject) -> list[Told]:
        """What there is to see before anything is solved."""
        self._told = prepared
        source = prepared.moved_from
        clip = prepared.clip if source is None else source.clip
        character = prepared.character if source is None else source.character
        series = observed(clip, character, prepared.environment)
        return [
            self._figure(recipe, character, clip.name),
            views.place(prepared.environment, clip),
            views.motion(clip, "before"),
            views.physics(series, "before"),
        ]

    def _figure(self, recipe: Recipe, character: Character, name: str) -> Told:
        """A body as it is drawn; made anew only when it has other points."""
        shown = self._solver.with_tools(recipe, character)
        key = views.figure_key(shown.skeleton)
        known = self._figures.get(key)
        if known is None or known[0] != shown.sites.names:
            known = shown.sites.names, views.figure(shown, name or self.history.name)
            self._figures.put(key, known)
        return known[1]

    def _tell_figure(self, recipe: Recipe, prepared: Subject) -> None:
        self._tell(self._figure(recipe, prepared.character, prepared.clip.name))

    def _show(self, recipe: Recipe, only: Page | None = None) -> None:
        """The state, and the result if there is one for it."""
        solution = self._solver.found(self.history.recipe)
        pages = tuple(self._pages) if only is None else (only,)
        self._tell(self._state(), to=pages)
        goals = views.goals_of(recipe, self._solver.stem, {} if solution is None else solution.met)
        shown = solution or self._shown  # a stale one
        if solution is None:
            self._tell(say.Forget("after" if shown is None else "live"), goals, to=pages)
        if shown is None or (solution is None and only is None):
            return
        figure = self._figure(recipe, shown.character, shown.clip.name)
        self._tell(figure, views.motion(shown.clip, "after"), goals, to=pages)
        if solution is not None:
            if solution.family is not None:
                self._tell(Played(solution.family, solution.character).state(), to=pages)
            if solution.scatter is not None:
                self._tell(views.scatter_of(*solution.scatter), to=pages)
            self._shown = solution
        self._inbox.put(lambda: self._show_physics(shown, pages))

    def _show_physics(self, solution: Solution, pages: tuple[Page, ...]) -> None:
        """Forces and balance of what is shown, when nothing more urgent waits."""
        if self._shown is not solution:
            return
        if self._drags.is_waiting:
            self._inbox.put(lambda: self._show_physics(solution, pages))
            return
        with self._saying_problems("physics", pages):
            series = observed(
                solution.clip, solution.character, solution.environment, solution.contacts
            )
            self._tell(views.physics(series, "after", solution.unknown), to=pages)

    def _state(self) -> say.DocumentState:
        history, solution = self.history, self._solver.found(self.history.recipe)
        shown = solution or self._told
        solved = "yes" if solution is not None else "no" if self._shown is None else "stale"
        return say.DocumentState(
            self.id, history.name, dict(history.recipe),
            0 if shown is None else shown.clip.frame_count,
            30.0 if shown is None else shown.clip.rate_hz,
            history.undo_label, history.redo_label, "solving" if self._is_running else solved,
            *(("", "", ()) if solution is None else
              (_in_words(solution.status), solution.summary, solution.notes)),
        )  # fmt: skip

    # Runs.

    def _ask_run(self, number: int) -> None:
        with self._saying_problems("run_method"):
            recipe = self._solver.read(self.history.recipe)
            if self._solver.is_quick(recipe):
                self._solver.solve(recipe)
                self._show(recipe)
                self._tell(say.RunEnded("done", 0.0))
                return
            if self._is_running:
                raise BadValue("run", "one at a time: cancel the other first", "one more")
            self._begin_run(number, recipe)

    def _begin_run(self, number: int, recipe: Recipe) -> None:
        folder = self.history.folder
        folder.mkdir(parents=True, exist_ok=True)
        plain, key = json.dumps(dict(self.history.recipe)), self._solver.key(self.history.recipe)
        job = SolveJob(plain, str(self.project.folder), str(folder / "preview"))

        def ended(found: Found, seconds: float) -> None:
            self._inbox.put(lambda: self._run_ended(recipe, key, found, seconds))

        with self._lock:
            if number <= self._cancelled_to:
                self._tell(say.RunEnded("cancelled", 0.0), self._state())
                return
            self._is_running = True
            self._runner.begin(job, ended)
        self._tell(self._state())

    def _run_ended(self, recipe: Recipe, key: str, found: Found, seconds: float) -> None:
        self._is_running = False
        if not self._pages:
            self._runner.rest()
        folder = self.history.folder
        for left in folder.glob("preview.*.npz"):
            left.unlink(missing_ok=True)
        if isinstance(found, Solution):
            self._solver.keep(recipe, found, key)
            self._tell(say.RunEnded("done", seconds))
            with self._saying_problems("run_method"):
                self._show(self._solver.read(self.history.recipe))
                try:
                    save_result(folder / "results", key, found)
                except OSError as refused:
                    raise os_problem(folder, refused, "write") from None
            return
        self._tell(say.Forget("preview"))
        if found is not None:
            lines = problem_lines(found, self.project.folder)
            self._tell(say.Problem(lines, "run_method"))
        how = "cancelled" if found is None else "failed"
        self._tell(say.RunEnded(how, seconds), self._state())

    def _run_said(self, news: str) -> None:
        """What a run says on its way; called by its thread."""
        try:
            *words, preview = json.loads(news)
            progress = say.Progress(*words)
        except ValueError:
            progress, preview = say.Progress("", news, 0, 0), ""
        self._inbox.put(lambda: self._progressed(progress, preview))

    def _progressed(self, progress: say.Progress, preview: str) -> None:
        if not self._is_running:
            return
        self._tell(progress)
        if preview:
            path = Path(preview)
            with contextlib.suppress(PoiseError, OSError):
                self._tell(views.motion(load_clip(path), "preview"))
                path.unlink()


def _in_words(status: str) -> str:
    """A status as it is said; what a project of another version has is left as it is."""
    return {str(key): each.words for key, each in STATUSES.items()}.get(status, status)
