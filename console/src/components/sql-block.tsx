import { CodeBlock } from './code-block.tsx'
import { SqlText } from './sql-text.tsx'
import { visibleLines } from './visible-text.ts'

/** SQL that is read and copied. */
export const SqlBlock = ({ sql, label }: { sql: string; label: string }) => (
  <CodeBlock text={sql} label={label}>
    <SqlText sql={sql} shownAs={visibleLines} />
  </CodeBlock>
)
