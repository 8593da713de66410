/** Who does something: `adminId` is a uuid or `super`, `guest` (login = nickname) or `donation` (login = uid). */
export interface Actor {
  adminId: string
  login: string
}

/** Passwords as they are kept. */
export interface Passwords {
  /** argon2id. */
  hash(password: string): Promise<string>
  /** Compares with an argon2id or a bcrypt hash; against `null` it takes as long and is never right. */
  isRight(password: string, hash: string | null): Promise<boolean>
}

/** How many tracks a helper may delete per day, counted by all processes together. */
export interface DeleteQuota {
  /**
   * Sets deletions aside for a job, all or none; a job that asks again keeps what it has.
   *
   * @throws Failure DELETE_QUOTA_EXCEEDED with `remaining` and `limit`
   */
  reserve(adminId: string, jobId: string, deletions: number): Promise<void>
  /** What the job deleted in the end counts, the rest is given back. */
  settle(adminId: string, jobId: string, deletions: number): Promise<void>
}
