"""An edit written down: what a recipe may say, how it is read, and how it runs."""

from poise.recipes.load import load_recipe as load_recipe
from poise.recipes.load import recipe_from_text as recipe_from_text
from poise.recipes.load import recipe_from_values as recipe_from_values
from poise.recipes.places import Place as Place
from poise.recipes.places import Problem as Problem
from poise.recipes.places import RecipeProblem as RecipeProblem
from poise.recipes.prepare import Prepared as Prepared
from poise.recipes.prepare import prepare as prepare
from poise.recipes.recipe import CharacterChoice as CharacterChoice
from poise.recipes.recipe import ClipChoice as ClipChoice
from poise.recipes.recipe import Outputs as Outputs
from poise.recipes.recipe import Recipe as Recipe
from poise.recipes.recipe import Step as Step
from poise.recipes.recipe import Wish as Wish
from poise.recipes.records import wish_from as wish_from
from poise.recipes.run import Outcome as Outcome
from poise.recipes.run import run_prepared as run_prepared
from poise.recipes.run import run_recipe as run_recipe
from poise.recipes.schema import recipe_schema as recipe_schema
from poise.recipes.text import recipe_text as recipe_text
