import { type FilterImplOptions, Liquid } from 'liquidjs'
import { TemplateError } from './template-error.ts'

const maxTemplateLength = 64_000
const renderLimitMs = 1_000
const memoryLimit = 1_000_000

type EngineParts = {
  tags: readonly string[]
  /** A name alone keeps the engine's own filter of that name; everything else is removed. */
  keepFilters: readonly string[]
  filters: Record<string, FilterImplOptions>
  outputEscape: (value: unknown) => string
}

/**
 * A Liquid engine reduced to the named tags and filters: no files, no partials, no undefined names, and every output
 * passes through `outputEscape`.
 */
export function createEngine(parts: EngineParts): Liquid {
  const engine = new Liquid({
    templates: {},
    dynamicPartials: false,
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    parseLimit: maxTemplateLength,
    renderLimit: renderLimitMs,
    memoryLimit,
    outputEscape: parts.outputEscape,
  })
  for (const name of Object.keys(engine.tags)) if (!parts.tags.includes(name)) delete engine.tags[name]
  for (const name of Object.keys(engine.filters)) if (!parts.keepFilters.includes(name)) engine.unregisterFilter(name)
  for (const [name, filter] of Object.entries(parts.filters)) engine.registerFilter(name, filter)
  return engine
}

/** Renders `template` with `scope`; throws TemplateError for a fault in either. */
export function renderTemplate(engine: Liquid, template: string, scope: Record<string, unknown>): string {
  refuseControlCharacters(template)
  try {
    return String(engine.parseAndRenderSync(template, scope))
  } catch (error) {
    throw toTemplateError(error)
  }
}

function refuseControlCharacters(template: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
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
