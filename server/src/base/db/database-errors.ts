const noted = new WeakSet<Error>()

/** Of a connection to the database, whose codes are those of any other connection, such as one to an identity provider. */
export const noteDatabaseError = (error: Error): void => void noted.add(error)

export const isNotedDatabaseError = (error: Error): boolean => noted.has(error)
