// On this engine as well: the embedded engine has one session, and notices and cancellations of its own.
import './connect.test.ts'
