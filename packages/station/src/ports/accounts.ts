/** The author of an action: `adminId` is a uuid or `super`, `guest` (login = nickname) or `donation` (login = uid). */
export interface Actor {
  adminId: string
  login: string
}

/** Hashes passwords for storage and checks them. */
export interface Passwords {
  /** Hashes with argon2id. */
  hash(password: string): Promise<string>
  /** Compares with an argon2id or bcrypt hash; `null` is never right, but takes just as long to check. */
  isRight(password: string, hash: string | null): Promise<boolean>
}

/** The daily limit on the tracks that a helper may delete, counted across all processes. */
export interface DeleteQuota {
  /**
   * Reserves deletions for a job, all or none; a job that asks again keeps its reservation.
   *
   * @throws Failure DELETE_QUOTA_EXCEEDED with `remaining` and `limit`
   */
  reserve(adminId: string, jobId: string, deletions: number): Promise<void>
  /** Counts the tracks that the job deleted and returns the rest of its reservation. */
  settle(adminId: string, jobId: string, deletions: number): Promise<void>
  /** Returns what can still be reserved today; null when there is no limit. */
  left(adminId: string): Promise<{ remaining: number; limit: number } | null>
}
