// On this engine as well: the embedded engine serializes values itself.
import './direct-statements.test.ts'
