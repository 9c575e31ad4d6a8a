// IOSAgent.swift: what an app adds to its debug builds for ios-agent (and for its own UI tests): a state that a
// test can ask for, and an accessibility identifier for each view that has none.
//
//     IOSAgent.start()                                        // after the app has launched
//     IOSAgentState.set("user", "ada")
//     IOSAgentState.provide("cart.total") { cart.total }
//     Text(cart.total).iosAgentID("total")                    // SwiftUI, whose views have no classes
//
// In a build without DEBUG all of it is empty: arguments are not evaluated, and nothing is shown. Public API
// only; nothing is swizzled. An app in Objective-C uses IOSAgent.h instead, which does the same and lists the
// limits in its first comment; use only one of the two. iOS 13. README.md has the rules.
import QuartzCore
import UIKit
#if canImport(SwiftUI)
import SwiftUI
#endif

#if DEBUG

public enum IOSAgent {
    /// Once: shows the state and keeps the identifiers from now on.
    @MainActor
    public static func start() {
        Watch.shared.start()
    }
}

public enum IOSAgentState {
    static let nameMax = 64
    static let valueMax = 256
    static let valuesMax = 64
    static let bytesMax = 4096
    /// {"v":1,"state":{},"left_out":4294967295}
    static let envelopeBytes = 48

    /// Guarded by its lock.
    private final class Entries: @unchecked Sendable {
        private let lock = NSLock()
        private var values: [String: () -> String?] = [:]

        func keep(_ name: String, _ value: (() -> String?)?) {
            lock.lock()
            defer { lock.unlock() }
            values[name] = value
        }

        func now() -> [String: () -> String?] {
            lock.lock()
            defer { lock.unlock() }
            return values
        }
    }

    private static let entries = Entries()

    /// On any thread. nil removes the value.
    public static func set(_ name: String, _ value: @autoclosure () -> String?) {
        let text = value()
        entries.keep(name, text == nil ? nil : { text })
    }

    /// On any thread. The closure is called on the main thread at each reading; if it returns nil there is no such
    /// value.
    public static func provide(_ name: String, _ value: @escaping () -> String?) {
        entries.keep(name, value)
    }

    private static func isGood(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && bytes.count <= nameMax && bytes.allSatisfy { c in
            (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39)
                || c == 0x2e || c == 0x5f || c == 0x2d
        }
    }

    /// The text in quotes; nil if it contains a NUL.
    private static func quoted(_ text: String) -> String? {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0":
                return nil
            case "\"", "\\":
                out += "\\"
                out.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20:
                out += String(format: "\\u%04x", scalar.value)
            default:
                out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func member(_ name: String, _ text: String) -> String? {
        guard isGood(name), text.utf8.count <= valueMax, let value = quoted(text) else {
            NSLog("ios-agent: left out of the state, as its name or value is no good: %@", name)
            return nil
        }
        return "\"\(name)\":\(value)"
    }

    /// Sorted by name, so that the same values are left out each time.
    static func json() -> String {
        let now = entries.now()
        var members: [String] = []
        var leftOut = 0
        var bytes = envelopeBytes
        for name in now.keys.sorted() {
            guard let text = now[name]?() else {
                continue
            }
            guard let member = member(name, text), members.count < valuesMax,
                bytes + member.utf8.count + 1 <= bytesMax
            else {
                leftOut += 1
                continue
            }
            members.append(member)
            bytes += member.utf8.count + 1
        }
        let rest = leftOut > 0 ? ",\"left_out\":\(leftOut)" : ""
        return "{\"v\":1,\"state\":{\(members.joined(separator: ","))}\(rest)}"
    }
}

/// One point in the corner that draws nothing and takes no touch. It is not hidden and not transparent, because
/// accessibility leaves such views out.
private final class Probe: UIView {
    override var isAccessibilityElement: Bool {
        get { true }
        set { _ = newValue }
    }

    override var accessibilityIdentifier: String? {
        get { "ios-agent.state" }
        set { _ = newValue }
    }

    override var accessibilityValue: String? {
        get { IOSAgentState.json() }
        set { _ = newValue }
    }
}

/// Looks at the views whenever the main thread is about to wait, so after each layout, but at most ten times a
/// second. For a change that comes sooner, a timer wakes an idle app once.
@MainActor
private final class Watch: NSObject {
    static let shared = Watch()
    static let interval: TimeInterval = 0.1

    private var observer: CFRunLoopObserver?
    private var last: TimeInterval = 0
    private var waits = false
    private let probe = Probe(frame: CGRect(x: 0, y: 0, width: 1, height: 1))

    func start() {
        guard observer == nil else {
            return
        }
        probe.isUserInteractionEnabled = false
        // After Core Animation's own observer, which does the layout.
        observer = CFRunLoopObserverCreateWithHandler(
            nil, CFRunLoopActivity.beforeWaiting.rawValue, true, CFIndex.max
        ) { [weak self] _, _ in
            self?.turn()
        }
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
    }

    private func turn() {
        let now = CACurrentMediaTime()
        if now - last >= Watch.interval {
            last = now
            update()
        } else if !waits {
            waits = true
            perform(#selector(late), with: nil, afterDelay: Watch.interval, inModes: [.common])
        }
    }

    /// It wakes the run loop, whose observer calls turn before the loop sleeps again.
    @objc private func late() {
        waits = false
    }

    private func update() {
        let windows = Watch.windows()
        placeProbe(windows)
        var pass = IdentifierPass()
        for window in windows {
            pass.name(window, "", nil, 0)
        }
    }

    /// Without the keyboard's window and those of alerts, which lie higher.
    private static func windows() -> [UIWindow] {
        UIApplication.shared.connectedScenes
            .compactMap { $0 as? UIWindowScene }
            .flatMap { $0.windows }
            .filter { $0.windowLevel == .normal && !$0.isHidden }
    }

    private func placeProbe(_ windows: [UIWindow]) {
        guard let front = windows.last(where: { $0.isKeyWindow }) ?? windows.first else {
            return
        }
        let host = Watch.host(front)
        if probe.superview !== host {
            host.addSubview(probe)
        }
    }

    /// Where accessibility still sees it: the tree leaves out what a presentation covers, but not what lies in the
    /// presentation's own container.
    private static func host(_ window: UIWindow) -> UIView {
        var host: UIView = window
        var top = window.rootViewController
        while let next = top?.presentedViewController, !next.isBeingDismissed {
            top = next
            host = next.presentationController?.containerView ?? host
        }
        return host
    }
}

/// One look at all views. The rules are those of IOSAgent.h, so that both give the same identifiers.
@MainActor
private struct IdentifierPass {
    static let identifierMax = 120
    static let depthMax = 60
    static let viewsMax = 3000
    static let hashCharacters = 17

    private var controllers: [String: Int] = [:]
    private var views = 0

    /// path: of the view, nil in a cell that shows no row. list: the nearest list around it.
    mutating func name(_ view: UIView, _ path: String?, _ list: UIView?, _ depth: Int) {
        if depth == IdentifierPass.depthMax || view is UIControl {
            return
        }
        var types: [String: Int] = [:]
        let around = view is UITableView || view is UICollectionView ? view : list
        for inner in view.subviews {
            if views == IdentifierPass.viewsMax || IdentifierPass.isForeign(inner) {
                continue
            }
            views += 1
            let type = IdentifierPass.typeName(inner)
            let controller = controllerStep(inner)
            var step = IdentifierPass.cellStep(inner, around)
            if step == nil {
                step = IdentifierPass.own(inner).map { "#" + $0 } ?? "\(type)\(types[type, default: 0])"
                types[type, default: 0] += 1
            }
            var next: String?
            if let controller = controller {
                next = controller
            } else if let path = path, let step = step, !step.isEmpty {
                next = path.isEmpty ? step : "\(path)/\(step)"
            }
            IdentifierPass.give(inner, next)
            name(inner, next, around, depth + 1)
        }
    }

    /// "CartCell" for "Shop.CartCell"; other characters than letters and digits become "_".
    private static func typeName(_ object: AnyObject) -> String {
        let name = NSStringFromClass(type(of: object))
        let last = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name[...]
        return String(last.unicodeScalars.map { scalar -> Character in
            let good = (scalar >= "a" && scalar <= "z") || (scalar >= "A" && scalar <= "Z")
                || (scalar >= "0" && scalar <= "9")
            return good ? Character(scalar) : "_"
        })
    }

    /// A longer one would not be found: XCTest refuses to look for more than 128 characters.
    private static func cut(_ identifier: String) -> String {
        if identifier.utf16.count <= identifierMax {
            return identifier
        }
        var hash: UInt64 = 14_695_981_039_346_656_037  // FNV-1a
        for byte in identifier.utf8 {
            hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
        }
        let front = (identifier as NSString).substring(to: identifierMax - hashCharacters)
        return front + "~" + String(format: "%016llx", hash)
    }

    private static func isOurs(_ identifier: String?) -> Bool {
        identifier?.hasPrefix("ia~") ?? false
    }

    /// The developer's, which names a step of the path.
    private static func own(_ view: UIView) -> String? {
        guard let identifier = view.accessibilityIdentifier, !identifier.isEmpty, !isOurs(identifier) else {
            return nil
        }
        return identifier
    }

    /// What a test wants to find; an identifier on each wrapper would only make the tree larger.
    private static func wantsIdentifier(_ view: UIView) -> Bool {
        view.isAccessibilityElement || view is UIControl || view is UIScrollView
            || view is UITableViewCell || view is UICollectionViewCell
    }

    /// "cell[0,3]"; nil for other views; "" for a cell that shows no row now.
    private static func cellStep(_ view: UIView, _ list: UIView?) -> String? {
        let at: IndexPath?
        if let cell = view as? UITableViewCell {
            at = (list as? UITableView)?.indexPath(for: cell)
        } else if let cell = view as? UICollectionViewCell {
            at = (list as? UICollectionView)?.indexPath(for: cell)
        } else {
            return nil
        }
        return at.map { "cell[\($0[0]),\($0[1])]" } ?? ""
    }

    /// A view controller starts a new path; a second one of its class gets a number.
    private mutating func controllerStep(_ view: UIView) -> String? {
        guard let controller = view.next as? UIViewController else {
            return nil
        }
        let name = IdentifierPass.typeName(controller)
        let before = controllers[name, default: 0]
        controllers[name] = before + 1
        return before > 0 ? "\(name)\(before)" : name
    }

    private static func give(_ view: UIView, _ path: String?) {
        let has = view.accessibilityIdentifier
        if let has = has, !has.isEmpty, !isOurs(has) {
            return
        }
        var wanted: String?
        if let path = path, wantsIdentifier(view) {
            wanted = cut("ia~" + path)
        }
        if wanted != has {
            view.accessibilityIdentifier = wanted
        }
    }

    /// SwiftUI has its own elements (iosAgentID names those), and web pages do not consist of views.
    private static func isForeign(_ view: UIView) -> Bool {
        let name = NSStringFromClass(type(of: view))
        return name.contains("SwiftUI") || name.hasPrefix("WKWebView") || view is Probe
    }
}

#if canImport(SwiftUI)
@available(iOS 14.0, *)
extension View {
    /// An identifier of the developer's for debug builds.
    public func iosAgentID(_ identifier: String) -> some View {
        accessibilityIdentifier(identifier)
    }
}
#endif

#else

public enum IOSAgent {
    @MainActor @inlinable @inline(__always)
    public static func start() {}
}

public enum IOSAgentState {
    @inlinable @inline(__always)
    public static func set(_ name: @autoclosure () -> String, _ value: @autoclosure () -> String?) {}

    @inlinable @inline(__always)
    public static func provide(_ name: @autoclosure () -> String, _ value: () -> String?) {}
}

#if canImport(SwiftUI)
@available(iOS 14.0, *)
extension View {
    @inlinable @inline(__always)
    public func iosAgentID(_ identifier: @autoclosure () -> String) -> some View {
        self
    }
}
#endif

#endif
