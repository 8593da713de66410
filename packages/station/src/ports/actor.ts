/** Who does something: `adminId` is a uuid or `super`, `guest` (login = nickname) or `donation` (login = uid). */
export interface Actor {
  adminId: string
  login: string
}
