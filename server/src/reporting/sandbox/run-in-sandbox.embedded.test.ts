// On this engine as well: reporting queries of the embedded engine run in a second one.
import './run-in-sandbox.test.ts'
