// On this engine as well: the embedded engine prepares statements itself.
import './named-statements.test.ts'
