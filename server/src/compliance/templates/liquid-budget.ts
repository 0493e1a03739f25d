import type { Context, FilterImplOptions, Liquid, TagToken, Template } from 'liquidjs'
import { Parser, Tokenizer, TypeGuards, toValueSync, Value } from 'liquidjs'

const maxOperations = 10_000
/** Entries of lists and characters of texts that are made on the way. */
const maxMemory = 100_000
/** Evaluating this much of a tag is one operation. */
const charactersPerOperation = 20
/** Reading this much of a value is one operation. */
export const textPerOperation = 200
/** Reading a tag, an output or the text between them, and writing one. */
const operationsPerToken = 4
const operationsPerWrite = 3

type Limiter = Context['memoryLimit']
type TagClass = Liquid['tags'][string]

/**
 * What one rendering may use. It counts what is done instead of the time that it takes, so that a template is refused on
 * every machine or on none, and ends after a few milliseconds. Each `charge` throws once its limit is passed.
 */
export class RenderBudget {
  #operations = 0
  #memory = 0

  charge(operations: number): void {
    this.#operations += operations
    if (this.#operations > maxOperations) throw new Error(`the template takes more than ${maxOperations} operations`)
  }

  /** Called by the engine for each list and text that it makes, with its length. */
  use(size: number): void {
    if (!(size > 0)) return
    this.#memory += size
    if (this.#memory > maxMemory) throw new Error('the template makes lists or texts that are too large')
  }

  /** Called by the engine for each node that it renders, with the time. */
  check(): void {
    this.charge(1)
  }

  spent(): number {
    return this.#operations
  }
}

/** The engine accepts only its own limiters, which have more private members than these. */
export const asLimiter = (budget: RenderBudget): Limiter => budget as unknown as Limiter

const budgetOf = ({ renderLimit }: Context): RenderBudget => {
  if (renderLimit instanceof RenderBudget) return renderLimit
  throw new Error('a template is rendered without a budget')
}

/** Collects what is rendered, up to a length. */
export class BoundedEmitter {
  buffer = ''
  readonly #budget: RenderBudget
  readonly #maxLength: number

  constructor(budget: RenderBudget, maxLength: number) {
    this.#budget = budget
    this.#maxLength = maxLength
  }

  write(text: unknown): void {
    const written = String(text ?? '')
    this.#budget.charge(operationsPerWrite + written.length / textPerOperation)
    this.buffer += written
    if (this.buffer.length > this.#maxLength) throw new Error(`the text exceeds ${this.#maxLength} characters`)
  }
}

/** Makes the tags, filters and operators of an engine charge the budget for work other than rendering nodes. */
export function meter(engine: Liquid): void {
  for (const [name, tag] of Object.entries(engine.tags)) engine.registerTag(name, meteredTag(tag))
  for (const [name, filter] of Object.entries(engine.filters)) engine.registerFilter(name, meteredFilter(filter))
  const { operators } = engine.options
  engine.options.operators = Object.fromEntries(
    Object.entries(operators).map(([name, operator]) => [name, meteredOperator(operator)]),
  )
}

const costs = new WeakMap<TagToken, number>()

/** Reads a template, and notes for each tag how much of it may be evaluated when it is rendered. */
export function parseWithin(budget: RenderBudget, engine: Liquid, template: string): Template[] {
  const { options } = engine
  const tokens = new Tokenizer(template, options.operators).readTopLevelTokens(options)
  budget.charge(tokens.length * operationsPerToken)
  const open: TagToken[] = []
  for (const token of tokens) {
    if (!TypeGuards.isTagToken(token)) continue
    if (token.name.startsWith('end')) open.pop()
    const isBranch = ['else', 'elsif', 'when'].includes(token.name)
    const owner = (isBranch && open.at(-1)) || token
    costs.set(owner, (costs.get(owner) ?? 1) + (token.end - token.begin) / charactersPerOperation)
    if (blockTags.includes(token.name)) open.push(token)
  }
  return new Parser(engine).parseTokens(tokens)
}

const blockTags: readonly string[] = ['if', 'unless', 'case', 'for', 'comment']

function meteredTag(Tag: TagClass): TagClass {
  const { render }: InstanceType<TagClass> = Tag.prototype
  return class extends Tag {
    override render(...args: Parameters<InstanceType<TagClass>['render']>) {
      const [context] = args
      const cost = costs.get(this.token) ?? 1
      budgetOf(context).charge(cost * (1 + subjectSize(this, context)))
      return render.apply(this, args)
    }
  }
}

/** The length of a list that a case compares with each of its branches, entry by entry; the engine does not report it. */
function subjectSize(tag: object, context: Context): number {
  if (!('value' in tag && tag.value instanceof Value) || !('branches' in tag)) return 0
  const subject = toValueSync(tag.value.value(context, false))
  return Array.isArray(subject) ? subject.length : 0
}

function meteredFilter(filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  const metered: typeof handler = function metered(value, ...parameters) {
    const budget = budgetOf(this.context)
    budget.charge(1 + parameters.length + sizeOf(value))
    return handler.call(this, value, ...parameters)
  }
  return typeof filter === 'function' ? metered : { ...filter, handler: metered }
}

type Operator = Liquid['options']['operators'][string]

function meteredOperator(operator: Operator): Operator {
  return (...operands: Parameters<Operator>) => {
    const context = operands.at(-1) as Context
    budgetOf(context).charge(1 + operands.slice(0, -1).reduce((sum: number, operand) => sum + sizeOf(operand), 0))
    return (operator as (...all: unknown[]) => ReturnType<Operator>)(...operands)
  }
}

const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : typeof value === 'string' ? value.length / textPerOperation : 0
