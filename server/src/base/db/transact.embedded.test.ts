// On this engine as well: transactions of the embedded engine wait in a queue.
import './transact.test.ts'
