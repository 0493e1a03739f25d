import type { Row } from '../tables/table.ts'

type Node = { label: string; value: string; children: Node[] }

const token = /\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[{};]|[^\s{};"]+/g

/**
 * apt.conf(5) as the aptconf lens of augeas has it: `A::B "v";` and `A { B "v"; };` are both B within A, a value without a
 * name is `@elem`, and of several nodes of one name beside each other each has its number.
 */
export function aptNodes(path: string, text: string): Row[] {
  const root: Node = { label: '', value: '', children: [] }
  const open = [root]
  /** Of the statement that is being read. */
  let names: string[] = []
  let value: string | undefined
  const inner = () => open.at(-1) ?? root
  const end = () => {
    if (names.length > 0 || value !== undefined) place(inner(), names.length > 0 ? names : ['@elem'], value ?? '')
    names = []
    value = undefined
  }
  for (const [part] of text.matchAll(token)) {
    if (part.startsWith('//') || part.startsWith('/*') || (part.startsWith('#') && !/^#(?:clear|include)\b/.test(part)))
      inner().children.push({ label: '#comment', value: part, children: [] })
    else if (part === '{') {
      open.push(place(inner(), names, ''))
      names = []
    } else if (part === '}') {
      end()
      if (open.length > 1) open.pop()
    } else if (part === ';') end()
    else if (part.startsWith('"')) value = part.slice(1, -1)
    else names.push(...part.split('::').filter((name) => name !== ''))
  }
  end()
  return rowsOf(path, root.children, `/files${path}`)
}

/** Returns the node of the last name. */
function place(within: Node, names: readonly string[], value: string): Node {
  let node = within
  for (const label of names) {
    const next: Node = { label, value: '', children: [] }
    node.children.push(next)
    node = next
  }
  node.value = value
  return node
}

function rowsOf(path: string, nodes: readonly Node[], prefix: string): Row[] {
  const byLabel = Map.groupBy(nodes, ({ label }) => label)
  return nodes.flatMap(({ label, value, children }, index) => {
    const alike = byLabel.get(label) ?? []
    const number = alike.length > 1 ? `[${alike.indexOf(nodes[index] as Node) + 1}]` : ''
    const node = `${prefix}/${label}${number}`
    return [{ node, value, label, path }, ...rowsOf(path, children, node)]
  })
}
