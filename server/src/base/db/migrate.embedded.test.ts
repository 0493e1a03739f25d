// On this engine as well: a trial migrates the embedded engine.
import './migrate.test.ts'
