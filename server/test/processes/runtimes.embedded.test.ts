// A server that has the database in itself takes the file of a command, and is what is killed.
import './runtimes.test.ts'
