/**
 * Parts in which a `<` is no HTML: an escaped character, fenced code, a code span, an autolink (CommonMark §4.5, §6).
 * Fences within lists and spans over several lines are not known: where they end is for a parser of blocks to say, and
 * what is taken for more than it is would hide HTML.
 */
const harmless = new RegExp(
  [
    String.raw`\\[^\n]`,
    String.raw`(?<=^|\n)(\x60{3,}(?=[^\x60\n]*(?:\n|$))|~{3,})[\s\S]*?(?:\n\1[\x60~]*[ \t]*(?=\n|$)|$)`,
    String.raw`(?<!\x60)(\x60+)(?!\x60)[^\n]*?(?<!\x60)\2(?!\x60)`,
    String.raw`<[a-z][a-z0-9+.-]{1,31}:[^\s<>]*>`,
    String.raw`<[\w.+-]+@[\w.-]+>`,
  ].join('|'),
  'gi',
)

/** Where HTML begins: a tag, its end, a comment, a declaration or an instruction. */
const html = /<[a-z/!?][^\n]{0,30}/i

const liquid = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g

/** The first HTML in a Markdown template, whichever of its branches are rendered; undefined when there is none. */
export function findRawHtml(template: string): string | undefined {
  return html.exec(template.replace(liquid, '').replace(harmless, ''))?.[0]
}
