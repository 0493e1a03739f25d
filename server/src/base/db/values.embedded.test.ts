// On this engine as well: the embedded engine reads types itself.
import './values.test.ts'
