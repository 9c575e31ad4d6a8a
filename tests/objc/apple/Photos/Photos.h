/* Photos.h: the part that the bridge uses, as Apple declares it for iOS 15. */
#ifndef IA_APPLE_PHOTOS_H
#define IA_APPLE_PHOTOS_H

#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, PHAccessLevel) {
    PHAccessLevelAddOnly = 1,
    PHAccessLevelReadWrite = 2
};
typedef NS_ENUM(NSInteger, PHAuthorizationStatus) {
    PHAuthorizationStatusNotDetermined = 0,
    PHAuthorizationStatusRestricted = 1,
    PHAuthorizationStatusDenied = 2,
    PHAuthorizationStatusAuthorized = 3,
    PHAuthorizationStatusLimited = 4
};
typedef NS_ENUM(NSInteger, PHAssetMediaType) {
    PHAssetMediaTypeUnknown = 0,
    PHAssetMediaTypeImage = 1,
    PHAssetMediaTypeVideo = 2,
    PHAssetMediaTypeAudio = 3
};
typedef NS_ENUM(NSInteger, PHAssetCollectionType) {
    PHAssetCollectionTypeAlbum = 1,
    PHAssetCollectionTypeSmartAlbum = 2
};
typedef NS_ENUM(NSInteger, PHAssetCollectionSubtype) {
    PHAssetCollectionSubtypeAny = NSIntegerMax
};

@interface PHPhotoLibrary : NSObject
+ (PHAuthorizationStatus)authorizationStatusForAccessLevel:(PHAccessLevel)level;
@end

@interface PHFetchOptions : NSObject
@property(nullable, strong) NSPredicate *predicate;
@property(nullable, strong) NSArray<NSSortDescriptor *> *sortDescriptors;
@end

@interface PHFetchResult<T> : NSObject
@property(readonly) NSUInteger count;
- (T)objectAtIndex:(NSUInteger)index;
@end

@interface PHObject : NSObject
@property(readonly, copy) NSString *localIdentifier;
@end

@interface PHAssetCollection : PHObject
@property(nullable, readonly) NSString *localizedTitle;
+ (PHFetchResult<PHAssetCollection *> *)
    fetchAssetCollectionsWithType:(PHAssetCollectionType)type
                          subtype:(PHAssetCollectionSubtype)subtype
                          options:(nullable PHFetchOptions *)options;
@end

@interface PHAsset : PHObject
@property(readonly) PHAssetMediaType mediaType;
@property(readonly) NSUInteger pixelWidth;
@property(readonly) NSUInteger pixelHeight;
@property(nullable, readonly) NSDate *creationDate;
+ (PHFetchResult<PHAsset *> *)fetchAssetsInAssetCollection:(PHAssetCollection *)collection
                                                   options:(nullable PHFetchOptions *)options;
+ (PHFetchResult<PHAsset *> *)fetchAssetsWithOptions:(nullable PHFetchOptions *)options;
@end

@interface PHAssetResource : NSObject
@property(readonly, copy) NSString *originalFilename;
+ (NSArray<PHAssetResource *> *)assetResourcesForAsset:(PHAsset *)asset;
@end

NS_ASSUME_NONNULL_END

#endif
