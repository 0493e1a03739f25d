/** A template or a rendering that is refused; `line` counts from 1 in the template's own text. */
export class TemplateError extends Error {
  readonly line: number

  constructor(reason: string, line: number, options?: ErrorOptions) {
    super(`Line ${line}: ${reason}`, options)
    this.name = 'TemplateError'
    this.line = line
  }
}
