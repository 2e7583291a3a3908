"""A document: a recipe with its history, and what came of it, told to every page that has it open.

All of it happens in one thread of its own, message after message; what is slow runs in a process
beside it, which can be ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from poise.apps.studio import from_page as asked
from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.contacts import contacts_from
from poise.apps.studio.families import Played
from poise.apps.studio.goals import goals_of
from poise.apps.studio.history import History, key_of
from poise.apps.studio.live import Live
from poise.apps.studio.measuring import measured
from poise.apps.studio.project import Project
from poise.apps.studio.saving import save_file
from poise.apps.studio.scatter import scatter_of
from poise.apps.studio.solving import (
    Solution,
    SolveJob,
    is_quick,
    problem_lines,
    read,
    solution_of,
    solve_in_child,
)
from poise.apps.studio.stages import stages_of
from poise.apps.studio.views import Told
from poise.contact import detect_contacts, write_contacts
from poise.errors import BadValue, FileProblem, PoiseError
from poise.execution import Limits, Supervised
from poise.measures import observe
from poise.recipes import Prepared, Recipe, prepare, run_prepared

Page = Callable[[Told], None]
"""Takes what a page is told; may be called from any thread."""

MOST_SOLUTIONS = 24
"""That are kept in memory, so that undo is at once."""


class Document:
    """A recipe that is being worked on."""

    def __init__(self, id: str, project: Project, history: History) -> None:
        self.id = id
        self.history = history
        self._project = project
        self._pages: list[Page] = []
        self._figures: dict[str, Told] = {}
        self._prepared: tuple[str, Prepared] | None = None
        self._solutions: OrderedDict[str, Solution] = OrderedDict()
        self._live: Live | None = None
        self._shown: Solution | None = None
        self._played: Played | None = None
        self._running: _Run | None = None
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._drag: asked.Drag | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, daemon=True, name=f"document {id}")
        self._thread.start()

    # What others call, from any thread.

    def join(self, page: Page) -> None:
        """One more page has it open: tell it everything."""
        self._inbox.put(lambda: self._joined(page))

    def leave(self, page: Page) -> None:
        """A page has closed."""
        self._inbox.put(lambda: self._pages.remove(page) if page in self._pages else None)

    def ask(self, message: asked.FromPage) -> None:
        """Something that a page wants."""
        if isinstance(message, asked.CancelRun):
            running = self._running
            if running is not None:
                running.cancel()
            return
        if isinstance(message, asked.Drag):
            with self._lock:
                waits, self._drag = self._drag is not None, message
            if not waits:  # of drags that pile up only the last is solved
                self._inbox.put(self._dragged)
            return
        self._inbox.put(lambda: self._asked(message))

    def close(self) -> None:
        """End what runs; the history is on disk."""
        if self._running is not None:
            self._running.cancel()
        self._inbox.put(None)

    def solution(self) -> Solution:
        """The result that is shown, or the capture as it is; for exports.

        Raises:
            PoiseError: what cannot be had.
        """
        shown = self._shown
        if shown is None or shown is not self._solutions.get(self.history.key):
            raise BadValue("result", "solved for this recipe: run it first", "none")
        return shown

    # In the document's own thread.

    def _work(self) -> None:
        while (job := self._inbox.get()) is not None:
            try:
                job()
            except Exception as bug:
                self._tell(_problem(f"A bug in Poise: {type(bug).__name__}: {bug}", "bug"))
        if self._running is not None:
            self._running.close()

    def _tell(self, *messages: Told) -> None:
        for page in tuple(self._pages):
            for message in messages:
                page(message)

    def _joined(self, page: Page) -> None:
        self._pages.append(page)
        with self._saying_problems("open_document", (page,)):
            recipe = read(self.history.recipe, self._project.folder)
            prepared = self._prepare(recipe)
            for each in self._figures.values():
                page(each)
            for each in self._of_prepared(prepared):
                page(each)
            if self.history.key not in self._solutions and is_quick(recipe):
                self._solve_here(recipe)
            self._show(only=page)

    @contextlib.contextmanager
    def _saying_problems(self, about: str, pages: tuple[Page, ...] | None = None) -> Any:
        try:
            yield
        except PoiseError as problem:
            lines = problem_lines(problem)
            message = views.told(say.Problem(lines, about))
            for page in pages or tuple(self._pages):
                page(message)
                page(self._state())

    def _asked(self, message: asked.FromPage) -> None:
        with self._saying_problems(message.kind):
            match message:
                case asked.EditRecipe():
                    self._edited(message.recipe, message.label, message.merge)
                case asked.EditContacts():
                    self._edited(self._with_contacts(message), message.label, "")
                case asked.Undo():
                    if self.history.undo():
                        self._changed()
                case asked.Redo():
                    if self.history.redo():
                        self._changed()
                case asked.EndDrag():
                    self._tell(views.told(say.Forget("live")))
                case asked.RunMethod():
                    self._run()
                case asked.AskMeasures():
                    self._tell(measured(self.solution()))
                case asked.BlendFamily():
                    told = self._played_family().blended(message.coordinate, message.number)
                    self._tell(*told)
                case asked.SteerLeap():
                    played = self._played_family()
                    self._tell(played.steered(message.forward, message.turn, message.number))
                case asked.SaveFile():
                    self._tell(save_file(self._project, self, message))
                case _:
                    raise BadValue("message", "one for a document", message.kind)

    def _played_family(self) -> Played:
        solution = self.solution()
        if solution.family is None:
            raise BadValue("family", "built first: run a recipe with family axes", "none")
        if self._played is None or self._played.family is not solution.family:
            self._played = Played(solution.family, solution.character)
        return self._played

    def _edited(self, recipe: Mapping[str, Any], label: str, merge: str) -> None:
        try:
            checked = read(recipe, self._project.folder)
            self._check_inside(checked)
            self._prepare(checked)
        except PoiseError as problem:
            lines = problem_lines(problem)
            self._tell(views.told(say.Problem(lines, "edit_recipe")), self._state())
            return
        self.history.add(recipe, label, merge)
        self._changed(checked)

    def _changed(self, recipe: Recipe | None = None) -> None:
        """After the recipe is another: solve it if that is quick, and show what there is."""
        recipe = recipe or read(self.history.recipe, self._project.folder)
        before = self._prepared
        prepared = self._prepare(recipe)
        if before is None or before[1] is not prepared:
            self._tell(*self._of_prepared(prepared))
        if self.history.key not in self._solutions and is_quick(recipe):
            self._solve_here(recipe)
        self._show()

    def _check_inside(self, recipe: Recipe) -> None:
        """Nothing outside of the folder is read."""
        character, clip = recipe.character, recipe.clip
        named: list[Any] = [clip.file, clip.skeleton, character.to, character.mapping]
        named += [character.roles, recipe.environment]
        named += [each for step in recipe.steps for each in (step.contacts, step.pattern)]
        for name in named:
            if isinstance(name, str):
                self._project.path(name)

    def _prepare(self, recipe: Recipe) -> Prepared:
        """Clip, body and place; made anew only when the recipe says other things about them."""
        plain = self.history.recipe if recipe.written is None else recipe.written.plain()
        parts = {key: plain.get(key) for key in ("clip", "character", "environment")}
        key = key_of({**parts, "retargets": recipe.retargets})
        if self._prepared is None or self._prepared[0] != key:
            self._prepared = key, prepare(recipe)
            self._live = None
        return self._prepared[1]

    def _of_prepared(self, prepared: Prepared) -> list[Told]:
        """What there is to see before anything is solved."""
        source = prepared.moved_from
        clip = prepared.clip if source is None else source.clip
        character = prepared.character if source is None else source.character
        contacts = detect_contacts(clip, character, prepared.environment)
        series = observe(clip, character, prepared.environment, contacts)
        return [
            self._figure(character, clip.name or self.history.name),
            views.place(prepared.environment, clip),
            views.motion(clip, "before"),
            views.physics(series, "before", stages_of(series)),
        ]

    def _figure(self, character: Any, name: str) -> Told:
        key = views.figure_key(character.skeleton)
        if key not in self._figures:
            self._figures[key] = views.figure(character, name)
        return self._figures[key]

    def _solve_here(self, recipe: Recipe) -> None:
        outcome = run_prepared(recipe, self._prepare(recipe))
        self._keep(self.history.key, solution_of(outcome))

    def _keep(self, key: str, solution: Solution) -> None:
        self._solutions[key] = solution
        self._solutions.move_to_end(key)
        while len(self._solutions) > MOST_SOLUTIONS:
            self._solutions.popitem(last=False)

    def _show(self, only: Page | None = None) -> None:
        """The state, and the result if there is one for it."""
        solution = self._solutions.get(self.history.key)
        pages = tuple(self._pages) if only is None else (only,)

        def tell(*messages: Told) -> None:
            for page in pages:
                for message in messages:
                    page(message)

        tell(self._state())
        recipe = read(self.history.recipe, self._project.folder)
        prepared = self._prepare(recipe)
        met = {} if solution is None else solution.met
        goals = goals_of(recipe, prepared, prepared.clip, met)
        if solution is None:
            if self._shown is not None:
                tell(views.told(say.Forget("live")), goals)
            else:
                tell(views.told(say.Forget("after")), goals)
            return
        figure = self._figure(solution.character, solution.clip.name)
        tell(figure, views.motion(solution.clip, "after"), goals)
        if solution.family is not None:
            tell(Played(solution.family, solution.character).state())
        if solution.scatter is not None:
            tell(scatter_of(*solution.scatter))
        self._shown = solution
        self._inbox.put(lambda: self._show_physics(solution, pages))

    def _show_physics(self, solution: Solution, pages: tuple[Page, ...]) -> None:
        """Forces and balance of what is shown, when nothing more urgent waits."""
        if self._shown is not solution:
            return
        if self._drag is not None:
            self._inbox.put(lambda: self._show_physics(solution, pages))
            return
        contacts = solution.contacts or detect_contacts(
            solution.clip, solution.character, solution.environment
        )
        series = observe(solution.clip, solution.character, solution.environment, contacts)
        message = views.physics(series, "after", stages_of(series))
        for page in pages:
            page(message)

    def _state(self) -> Told:
        solution = self._solutions.get(self.history.key)
        clip = None if self._prepared is None else self._prepared[1].clip
        shown = solution.clip if solution is not None else clip
        solved: Any = "yes" if solution is not None else "no" if self._shown is None else "stale"
        if self._running is not None:
            solved = "solving"
        recipe = dict(self.history.recipe)
        return views.told(
            say.DocumentState(
                self.id, self.history.name, recipe,
                0 if shown is None else shown.frame_count,
                30.0 if shown is None else shown.rate_hz,
                self.history.undo_label, self.history.redo_label, solved,
                "" if solution is None else solution.status,
                "" if solution is None else solution.summary,
                () if solution is None else solution.notes,
                len(recipe.get("steps", ())),
            )
        )  # fmt: skip

    def _dragged(self) -> None:
        with self._lock:
            message, self._drag = self._drag, None
        if message is None:
            return
        try:
            recipe = read(message.recipe, self._project.folder)
            prepared = self._prepare(recipe)
            if self._live is None:
                self._live = Live(prepared)
            clip = self._live.solve(recipe)
        except PoiseError as problem:
            lines = problem_lines(problem)
            self._tell(views.told(say.Problem(lines, "drag")))
            return
        self._tell(views.motion(clip, "live", number=message.number))

    def _with_contacts(self, message: asked.EditContacts) -> Mapping[str, Any]:
        """The recipe with what touches when as the user has it: a file beside the history."""
        assert self._prepared is not None
        prepared = self._prepared[1]
        schedule = contacts_from(message.touches, prepared)
        text = json.dumps([vars(each) for each in message.touches])
        name = f"contacts-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        path = self.history.folder / name
        self.history.folder.mkdir(parents=True, exist_ok=True)
        write_contacts(schedule, path)
        recipe = dict(self.history.recipe)
        steps = [dict(each) for each in recipe.get("steps", ())]
        if not 0 <= message.step < len(steps):
            raise BadValue("step", f"from 0 to {len(steps) - 1}", message.step)
        ((method, content),) = steps[message.step].items()
        steps[message.step] = {method: {**(content or {}), "contacts": self._project.name(path)}}
        return {**recipe, "steps": steps}

    def _run(self) -> None:
        recipe = read(self.history.recipe, self._project.folder)
        if is_quick(recipe):
            self._solve_here(recipe)
            self._show()
            self._tell(views.told(say.RunEnded("done", 0.0)))
            return
        if self._running is not None:
            raise BadValue("run", "one at a time: cancel the other first", "one more")
        self._running = _Run(self, self.history.key, recipe)
        self._tell(self._state())

    def run_ended(self, run: _Run, found: Solution | PoiseError | None) -> None:
        """A run has ended; called by its thread."""

        def take() -> None:
            self._running = None
            seconds = time.perf_counter() - run.began
            if isinstance(found, Solution):
                self._keep(run.key, found)
                self._tell(views.told(say.RunEnded("done", seconds)))
                self._show()
                return
            self._tell(views.told(say.Forget("preview")))
            if found is not None:
                lines = problem_lines(found)
                self._tell(views.told(say.Problem(lines, "run_method")))
            how = "cancelled" if found is None else "failed"
            self._tell(views.told(say.RunEnded(how, seconds)), self._state())

        self._inbox.put(take)

    def run_progressed(self, method: str, news: str) -> None:
        """What a run says on its way; called by its thread."""
        try:
            said: Any = json.loads(news)
        except ValueError:
            said = {"stage": news, "done": 0, "total": 0}
        self._inbox.put(lambda: self._progressed(method, said))

    def _progressed(self, method: str, said: Mapping[str, Any]) -> None:
        if self._running is None:
            return
        done, total = int(said.get("done", 0)), int(said.get("total", 0))
        self._tell(views.told(say.Progress(method, str(said["stage"]), done, total)))
        if "preview" in said:
            from poise.formats import load_clip

            path = Path(said["preview"])
            with contextlib.suppress(PoiseError, OSError):
                self._tell(views.motion(load_clip(path), "preview"))
                path.unlink()

    @property
    def preview_path(self) -> Path:
        """Where a run puts what is not the last word."""
        return self.history.folder / "preview.npz"

    @property
    def folder(self) -> Path:
        """Of the project."""
        return self._project.folder


class _Run:
    """One solve in a process of its own."""

    def __init__(self, document: Document, key: str, recipe: Recipe) -> None:
        self.key = key
        self.began = time.perf_counter()
        self._document = document
        self._cancelled = False
        methods = ", ".join(step.method for step in recipe.steps)
        document.history.folder.mkdir(parents=True, exist_ok=True)
        self._job = SolveJob(
            json.dumps(dict(document.history.recipe)), str(document.folder),
            str(document.preview_path),
        )  # fmt: skip
        self._pool = Supervised(
            1, Limits(attempts=1), environment={}, preload="poise.apps.studio.solving",
            hear=lambda news: document.run_progressed(methods, news),
        )  # fmt: skip
        threading.Thread(target=self._work, daemon=True, name="studio run").start()

    def cancel(self) -> None:
        """End it; may be called by any thread."""
        self._cancelled = True
        self._pool.end_jobs()

    def close(self) -> None:
        """End it without a word."""
        self.cancel()

    def _work(self) -> None:
        found: Solution | PoiseError | None = None
        with self._pool as pool:
            for ended in pool.run(solve_in_child, [self._job]):
                try:
                    found = ended.result().content
                except PoiseError as problem:
                    found = problem
                except Exception as bug:
                    found = FileProblem("studio", "a run that ends", f"{type(bug).__name__}: {bug}")
        self._document.run_ended(self, None if self._cancelled else found)


def _problem(text: str, about: str) -> Told:
    return views.told(say.Problem((say.ProblemLine(text),), about))
