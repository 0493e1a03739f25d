/** What does its work where text is taken for markup, a link or a template: it sets a mark, opens a dialog or calls elsewhere. */
const sparks = [
  `<script>globalThis.struck=1</script>`,
  `<img src=x onerror=globalThis.struck=1>`,
  `<svg onload=globalThis.struck=1>`,
  `<svg><script>globalThis.struck=1</script></svg>`,
  `<iframe srcdoc="<script>parent.struck=1</script>"></iframe>`,
  `<iframe src="javascript:parent.struck=1"></iframe>`,
  `<object data="data:text/html,<script>parent.struck=1</script>"></object>`,
  `<a href="javascript:globalThis.struck=1">a</a>`,
  `[a](javascript:globalThis.struck=1)`,
  `![a](https://struck.invalid/a.png)`,
  `<https://struck.invalid/>`,
  `<style>@import "https://struck.invalid/a.css";</style>`,
  `<link rel=stylesheet href=https://struck.invalid/b.css>`,
  `<base href=https://struck.invalid/>`,
  `<form action=https://struck.invalid/><button>`,
  `<meta http-equiv=refresh content="0;url=https://struck.invalid/">`,
  `<details open ontoggle=globalThis.struck=1>`,
  `<input autofocus onfocus=globalThis.struck=1>`,
  `<video><source onerror=globalThis.struck=1></video>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=globalThis.struck=1>`,
  `{{constructor.constructor('globalThis.struck=1')()}}`,
  '$' + '{globalThis.struck=1}',
  `javascript:globalThis.struck=1`,
  `data:text/html,<script>globalThis.struck=1</script>`,
  `<marquee onstart=globalThis.struck=1>`,
]

/** Ways out of where a text may have been put. */
const wrappings: readonly ((spark: string) => string)[] = [
  (spark) => spark,
  (spark) => `"'>${spark}`,
  (spark) => `</script></style></textarea></title>${spark}`,
  (spark) => `--><!--${spark}`,
  (spark) => `\u202e${spark}\u2066`,
  (spark) => `\u0007\u001b[31m${spark}\u200b`,
  (spark) => `\`\`\`\n${spark}\n\`\`\``,
  (spark) => `</td></tr></table>${spark.toUpperCase().replaceAll('GLOBALTHIS.STRUCK', 'globalThis.struck')}`,
]

export const hostilePayloads: readonly string[] = wrappings.flatMap((wrap) => sparks.map(wrap))
