import { Context, type FilterImplOptions, Liquid, toValueSync } from 'liquidjs'
import { asLimiter, BoundedEmitter, meter, parseWithin, RenderBudget, textPerOperation } from './liquid-budget.ts'
import { recentResults } from './recent-results.ts'
import { TemplateError } from './template-error.ts'

const maxTemplateLength = 64_000

type EngineParts = {
  tags: readonly string[]
  /** A name alone keeps the engine's own filter of that name; everything else is removed. */
  keepFilters: readonly string[]
  filters: Record<string, FilterImplOptions>
  outputEscape: (value: unknown) => string
  /** The longest text that a template may make, in UTF-16 units. */
  maxLength: number
}

/**
 * Fills in a template; throws TemplateError for a fault in it or in what it is filled with, which is plain data. `spend`
 * hears how many operations it took: few for what is remembered.
 */
export type Renderer = (template: string, scope: Record<string, unknown>, spend?: Spend) => string
type Spend = (operations: number) => void

/**
 * A Liquid engine reduced to the named tags and filters: no files, no partials, no undefined names, and every output
 * passes through `outputEscape`. A rendering has a budget of a few milliseconds, and what was rendered recently is not
 * rendered again.
 */
export function createRenderer(parts: EngineParts): Renderer {
  const engine = createEngine(parts)
  const recent = recentResults()
  return (template, scope, spend) => {
    const key = JSON.stringify([template, scope])
    spend?.(key.length / textPerOperation)
    return recent(key, () => render(engine, template, scope, parts.maxLength, spend))
  }
}

function createEngine(parts: EngineParts): Liquid {
  const engine = new Liquid({
    templates: {},
    dynamicPartials: false,
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    outputEscape: parts.outputEscape,
  })
  for (const name of Object.keys(engine.tags)) if (!parts.tags.includes(name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!parts.keepFilters.includes(name)) engine.unregisterFilter(name)
  for (const [name, filter] of Object.entries(parts.filters)) engine.registerFilter(name, filter)
  meter(engine)
  return engine
}

function render(
  engine: Liquid,
  template: string,
  scope: Record<string, unknown>,
  maxLength: number,
  spend?: Spend,
): string {
  refuseControlCharacters(template)
  if (template.length > maxTemplateLength) {
    throw new TemplateError(`the template exceeds ${maxTemplateLength} characters`, 1)
  }
  const budget = new RenderBudget()
  try {
    const limits = { memoryLimit: asLimiter(budget), renderLimit: asLimiter(budget), liquid: engine }
    const context = new Context(scope, engine.options, { sync: true }, limits)
    const emitter = new BoundedEmitter(budget, maxLength)
    toValueSync(engine.renderer.renderTemplates(parseWithin(budget, engine, template), context, emitter))
    return emitter.buffer
  } catch (error) {
    throw toTemplateError(error)
  } finally {
    spend?.(budget.spent())
  }
}

function refuseControlCharacters(template: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  const at = template.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/)
  if (at < 0) return
  throw new TemplateError('a control character is not allowed', template.slice(0, at).split('\n').length)
}

function toTemplateError(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error
  if (!(error instanceof Error)) return new TemplateError(String(error), 1)
  const innermost = innermostError(error)
  if (innermost instanceof TemplateError) return innermost
  const reason = innermost.message.replace(/(, file:[^,]*)?, line:\d+, col:\d+$/, '')
  return new TemplateError(reason, lineOf(error), { cause: error })
}

function innermostError(error: Error): Error {
  const inner = (error as { originalError?: unknown }).originalError
  return inner instanceof Error ? innermostError(inner) : error
}

function lineOf(error: Error): number {
  const { token } = error as { token?: { getPosition?: () => [number, number] } }
  return token?.getPosition?.()[0] ?? 1
}
