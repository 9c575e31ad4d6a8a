// App.swift: an app's calls, the same in a debug build and in a release build; apple_check.sh compiles them.
import SwiftUI

@MainActor
final class Cart {
    var total = "0.00"

    func tell() {
        IOSAgent.start()
        IOSAgentState.set("user", "ada")
        IOSAgentState.set("coupon", nil)
        IOSAgentState.provide("cart.total") { [weak self] in
            MainActor.assumeIsolated { self?.total }
        }
    }
}

@available(iOS 15.0, *)
struct TotalView: View {
    let total: String

    var body: some View {
        Text(total).iosAgentID("total")
    }
}
