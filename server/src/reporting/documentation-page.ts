import { columnsOf, type ReportingTable } from './reporting-table.ts'

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

const row = (cells: readonly string[], tag = 'td') =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`

function section(table: ReportingTable): string {
  const columns = columnsOf(table).map(({ name, type, description }) =>
    row([`<code>${escaped(name)}</code>`, type, escaped(description)]),
  )
  const people = table.aboutPeople === undefined ? [] : [`<p><b>About people:</b> ${escaped(table.aboutPeople)}</p>`]
  return [
    `<h2 id="${escaped(table.name)}"><a href="#${escaped(table.name)}">${escaped(table.name)}</a></h2>`,
    `<p>${escaped(table.description)}</p>`,
    ...people,
    '<table>',
    row(['Column', 'Type in SQL', 'What it holds'], 'th'),
    ...columns,
    '</table>',
    ...(table.kind === 'inventory' ? queries(table.queries) : []),
  ].join('\n')
}

const queries = (texts: Readonly<Partial<Record<string, string>>>): string[] =>
  Object.entries(texts).map(
    ([platform, sql = '']) =>
      `<details><summary>What ${escaped(platform)} devices are asked</summary><pre>${escaped(sql)}</pre></details>`,
  )

/** The page that `documentation_url` leads to: every table, its columns and what devices are asked for it. */
export const documentationPage = (tables: readonly ReportingTable[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Reporting tables</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }
pre { white-space: pre-wrap; background: #f4f4f4; color: #222; padding: .5rem }
</style>
</head>
<body>
<h1>Reporting tables</h1>
${tables.map(section).join('\n')}
</body>
</html>
`
