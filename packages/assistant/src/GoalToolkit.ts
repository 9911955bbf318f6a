/** Tools with which a model keeps the goals of the user. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CurrentContext } from "./CurrentContext.js"
import { Goal } from "./Goal.js"
import { GoalNameTaken, GoalNotFound, InvalidGoal } from "./GoalError.js"
import { maxKnownNames } from "./goals/makeGoals.js"
import { Goals, type StoredGoal } from "./Goals.js"
import { type ConversationId, conversing, owned, type UserId } from "./Owner.js"
import { orDie } from "./store/operation.js"
import { adds, deletes, failsWith, ofConversation, ofUser, reads, sets, textOf } from "./tools/facts.js"

const goalName = textOf("The name of the goal")

/**
 * Tools with which a model keeps the goals of the user.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("create_goal", {
    description:
      "Creates a goal: something the user wants to reach, or something you want to reach for them. A good goal is specific, can be measured, serves a need of the user and can be reached in a reasonable time.",
    parameters: {
      ...conversing,
      goal_name: textOf("A name that says what the goal is. At most 200 characters"),
      strategy: Schema.optional(textOf("How you will reach the goal, or help the user reach it. At most 100 words")),
      description: Schema.optional(textOf("What the goal is. At most 100 words")),
      end_condition: Schema.optional(
        textOf(
          "How you will see that the goal is reached or given up. It has to be something that you can observe, such as an answer of the user"
        )
      ),
      time_to_completion: Schema.optional(
        textOf('How long from now it may take: a number and one of HOURS, DAYS, WEEKS, MONTHS, YEARS, such as "3 DAYS"')
      ),
      priority: Schema.optional(
        Schema.Int.pipe(Schema.between(0, 4)).annotations({
          description: "From 0, the highest, to 4, the lowest"
        })
      )
    },
    success: Goal,
    ...failsWith(GoalNameTaken, InvalidGoal)
  }).pipe(ofConversation(adds)),
  Tool.make("rename_goal", {
    description: "Gives an active goal another name.",
    parameters: {
      ...owned,
      old_goal_name: textOf("The name the goal has now"),
      new_goal_name: textOf("The name it shall have. At most 200 characters")
    },
    success: Goal,
    ...failsWith(GoalNotFound, GoalNameTaken, InvalidGoal)
  }).pipe(ofUser(adds)),
  Tool.make("add_goal_status_update", {
    description: "Notes how far an active goal has come, or something learned that matters for it.",
    parameters: {
      ...conversing,
      goal_name: goalName,
      status_update_or_note: textOf("What has been done or learned. At most 100 words")
    },
    success: Goal,
    ...failsWith(GoalNotFound, InvalidGoal)
  }).pipe(ofConversation(adds)),
  Tool.make("mark_goal_completed", {
    description: "Marks an active goal as completed. A memory of how it went is kept.",
    parameters: {
      ...owned,
      goal_name: goalName,
      closing_comments: Schema.optional(textOf("Briefly, how the goal was completed and what was learned"))
    },
    success: Schema.Struct({ goal: Goal, memory: Schema.String }),
    ...failsWith(GoalNotFound)
  }).pipe(ofUser(adds)),
  Tool.make("delete_goal_permanently", {
    description: "Deletes a goal with all its status updates, for good. To end a goal, mark it as completed.",
    parameters: { ...owned, goal_name: textOf("The name of the goal to delete") },
    success: Schema.Struct({ deleted: Schema.String }),
    ...failsWith(GoalNotFound)
  }).pipe(ofUser(deletes)),
  Tool.make("print_goal", {
    description: "Shows a goal with its strategy, its end condition, when it is due and its status updates.",
    parameters: { ...owned, goal_name: goalName },
    success: Goal,
    ...failsWith(GoalNotFound)
  }).pipe(ofUser(reads)),
  Tool.make("add_goal_to_current_context", {
    description:
      "Keeps an active goal before you in this conversation, until it is completed or dropped from the context.",
    parameters: { ...conversing, goal_name: goalName },
    success: Schema.Struct({ added: Schema.String }),
    ...failsWith(GoalNotFound)
  }).pipe(ofConversation(sets)),
  Tool.make("drop_goal_from_current_context", {
    description: "No longer keeps a goal before you in this conversation. The goal itself stays as it is.",
    parameters: { ...conversing, goal_name: goalName },
    success: Schema.Struct({ dropped: Schema.String }),
    ...failsWith(GoalNotFound)
  }).pipe(ofConversation(sets))
)

/**
 * The handlers of the toolkit. A fault of the store is a defect.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const goals = yield* Goals
    const context = yield* CurrentContext
    const putInContext = <E>(user: UserId, conversation: ConversationId, stored: Effect.Effect<StoredGoal, E>) =>
      Effect.tap(stored, ({ id }) => context.add(user, conversation, { type: "goal", id })).pipe(asGoal)
    return {
      create_goal: ({ conversation_id, goal_name, time_to_completion, end_condition, user_id, ...rest }) => {
        const goal = { ...rest, name: goal_name, endCondition: end_condition, timeToCompletion: time_to_completion }
        const made = goals.create(user_id, goal).pipe(asParameter("name", "goal_name"))
        return orDie(putInContext(user_id, conversation_id, made))
      },
      rename_goal: ({ new_goal_name, old_goal_name, user_id }) =>
        goals.rename(user_id, old_goal_name, new_goal_name).pipe(asParameter("name", "new_goal_name"), asGoal, orDie),
      add_goal_status_update: ({ conversation_id, goal_name, status_update_or_note, user_id }) => {
        const updated = goals.addUpdate(user_id, goal_name, status_update_or_note)
        const named = asParameter("status", "status_update_or_note")(updated)
        return orDie(putInContext(user_id, conversation_id, named))
      },
      mark_goal_completed: ({ closing_comments, goal_name, user_id }) =>
        orDie(
          Effect.map(goals.complete(user_id, goal_name, closing_comments), ({ goal, memory }) => ({
            goal,
            memory: memory.name
          }))
        ),
      delete_goal_permanently: ({ goal_name, user_id }) =>
        goals.delete(user_id, goal_name).pipe(Effect.as({ deleted: goal_name }), orDie),
      print_goal: ({ goal_name, user_id }) => goals.get(user_id, goal_name).pipe(asGoal, orDie),
      add_goal_to_current_context: ({ conversation_id, goal_name, user_id }) =>
        Effect.gen(function* () {
          const { goal, id } = yield* goals.get(user_id, goal_name)
          // A completed goal is no longer in the context; a memory tells of it.
          if (goal.state !== "active") {
            const known = (yield* goals.list(user_id, "active")).slice(0, maxKnownNames).map(({ goal }) => goal.name)
            return yield* new GoalNotFound({ name: goal.name, known })
          }
          yield* context.add(user_id, conversation_id, { type: "goal", id })
          return { added: goal_name }
        }).pipe(orDie),
      drop_goal_from_current_context: ({ conversation_id, goal_name, user_id }) =>
        Effect.gen(function* () {
          const { id } = yield* goals.get(user_id, goal_name)
          yield* context.drop(user_id, conversation_id, { type: "goal", id })
          return { dropped: goal_name }
        }).pipe(orDie)
    }
  })
)

const asGoal = <E>(found: Effect.Effect<StoredGoal, E>): Effect.Effect<Goal, E> => Effect.map(found, ({ goal }) => goal)

/** The name that the model itself gave the field. */
const asParameter =
  (field: InvalidGoal["field"], parameter: InvalidGoal["field"]) =>
  <A, E, R>(effect: Effect.Effect<A, E | InvalidGoal, R>): Effect.Effect<A, E | InvalidGoal, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof InvalidGoal && error.field === field
        ? new InvalidGoal({ field: parameter, expected: error.expected, received: error.received })
        : error
    )
