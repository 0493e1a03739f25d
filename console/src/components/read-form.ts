/** Reads the text fields of a form by their names. */
export function readForm(form: HTMLFormElement) {
  const data = new FormData(form)
  const text = (name: string): string => String(data.get(name) ?? '')
  return {
    /** As it was typed: blank when nothing was. */
    text,
    /** Without spaces around it; undefined when nothing else was typed. */
    optional: (name: string): string | undefined => text(name).trim() || undefined,
  }
}
